package oauth

import (
	"crypto/tls"
	"fmt"
	"mime"
	"net"
	"net/mail"
	"net/smtp"
	"net/url"
	"strings"
	"time"
)

// Mail sends messages through an SMTP server.
type Mail struct {
	server *url.URL
	from   mail.Address
}

// NewMail reads smtp://USER:PASSWORD@HOST:PORT (with STARTTLS where the server offers it) or smtps://… (TLS from the start).
func NewMail(server, from string) (*Mail, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
		return nil, fmt.Errorf("the mail server must be smtp://USER:PASSWORD@HOST:PORT or smtps://…")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("the sender of mail must be an e-mail address: %w", err)
	}
	return &Mail{server: u, from: *sender}, nil
}

// Send delivers a plain text message.
func (m *Mail) Send(to, subject, text string) error {
	recipient, err := mail.ParseAddress(to)
	if err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	message := strings.Join([]string{
		"From: " + m.from.String(), "To: " + recipient.String(), "Subject: " + mime.QEncoding.Encode("utf-8", subject),
		"Date: " + time.Now().Format(time.RFC1123Z), "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "",
		strings.ReplaceAll(text, "\n", "\r\n"),
	}, "\r\n")
	if err := m.deliver(recipient.Address, message); err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}

func (m *Mail) deliver(to, message string) error {
	host, port := m.server.Hostname(), m.server.Port()
	if port == "" {
		port = map[string]string{"smtp": "587", "smtps": "465"}[m.server.Scheme]
	}
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(host, port), 10*time.Second)
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
	if ok, _ := c.Extension("STARTTLS"); ok && m.server.Scheme == "smtp" {
		if err := c.StartTLS(secure); err != nil {
			return err
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
