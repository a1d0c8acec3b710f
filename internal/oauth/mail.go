package oauth

import (
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"mime"
	"net"
	"net/mail"
	"net/smtp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kith-crm/kith/internal/account"
)

// Mail sends messages through an SMTP server.
type Mail struct {
	server *url.URL
	from   mail.Address
	dial   func(address string) (net.Conn, error)
}

// NewMail reads smtp://USER:PASSWORD@HOST:PORT, which insists on STARTTLS except with a server on the own machine, smtps://… (TLS from the
// start) or smtp+insecure://HOST:PORT (no TLS at all, and so no password).
func NewMail(server, from string) (*Mail, error) {
	u, err := url.Parse(server)
	if err != nil || !slices.Contains([]string{"smtp", "smtps", insecure}, u.Scheme) || u.Hostname() == "" || u.RawQuery != "" ||
		strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("must be smtp://USER:PASSWORD@HOST:PORT (STARTTLS), smtps://… (TLS from the start) or %s://HOST:PORT (no "+
			"TLS)", insecure)
	}
	if u.Scheme == insecure && u.User != nil {
		return nil, fmt.Errorf("must not have a password with %s://, which would send it for all to read; use smtp:// or smtps://",
			insecure)
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("the sender of mail must be an e-mail address: %w", err)
	}
	dial := func(address string) (net.Conn, error) { return net.DialTimeout("tcp", address, 10*time.Second) }
	return &Mail{server: u, from: *sender, dial: dial}, nil
}

// insecure is the scheme with which an operator allows mail, and the links in it, to go in plain text.
const insecure = "smtp+insecure"

// Send delivers a plain text message.
func (m *Mail) Send(to, subject, text string) error { return m.SendBoth(to, subject, text, "") }

// SendBoth delivers a message as plain text and as HTML, of which programs show what they can; without HTML as text alone.
func (m *Mail) SendBoth(to, subject, text, html string) error {
	recipient, err := mail.ParseAddress(to)
	if err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	content := part("plain", text)
	if html != "" {
		border := rand.Text()
		content = "Content-Type: multipart/alternative; boundary=" + border + "\n\n--" + border + "\n" + content + "\n--" + border + "\n" +
			part("html", html) + "\n--" + border + "--\n"
	}
	message := strings.Join([]string{
		"From: " + m.from.String(), "To: " + recipient.String(), "Subject: " + mime.QEncoding.Encode("utf-8", subject),
		"Date: " + time.Now().Format(time.RFC1123Z), "MIME-Version: 1.0", strings.ReplaceAll(content, "\n", "\r\n"),
	}, "\r\n")
	if err := m.deliver(recipient.Address, message); err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}

// part is a text with its headers.
func part(kind, text string) string {
	return "Content-Type: text/" + kind + "; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n" + text
}

func (m *Mail) deliver(to, message string) error {
	host, port := m.server.Hostname(), m.server.Port()
	if port == "" {
		port = map[string]string{"smtp": "587", "smtps": "465", insecure: "25"}[m.server.Scheme]
	}
	connection, err := m.dial(net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	_ = connection.SetDeadline(time.Now().Add(30 * time.Second))
	secure := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if m.server.Scheme == "smtps" {
		connection = tls.Client(connection, secure)
	}
	c, err := smtp.NewClient(connection, host)
	if err != nil {
		return err
	}
	defer c.Close()
	if m.server.Scheme == "smtp" {
		// Whoever sits between could take the offer of STARTTLS away, so a server elsewhere has to make it.
		if offered, _ := c.Extension("STARTTLS"); offered {
			if err := c.StartTLS(secure); err != nil {
				return err
			}
		} else if !account.Loopback(host) {
			return fmt.Errorf("%s does not offer STARTTLS, and mail with links must not go in plain text; use smtps://, or %s:// to "+
				"allow it", host, insecure)
		}
	}
	if user := m.server.User; user != nil {
		password, _ := user.Password()
		if err := c.Auth(smtp.PlainAuth("", user.Username(), password, host)); err != nil {
			return err
		}
	}
	if err := c.Mail(m.from.Address); err != nil {
		return err
	}
	if err := c.Rcpt(to); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(message)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return c.Quit()
}
