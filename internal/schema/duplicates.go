package schema

import "strings"

// Duplicates declare by what two records of a resource may be the same one, entered twice.
type Duplicates struct {
	// Same names texts, each with an index, and Phones phone numbers, any of which two records have alike.
	Same, Phones []string
	// Name names the text that is nearly the same in records that have the same value of the reference Within, or addresses of the
	// same domain in Email. All three are empty where names are not compared so.
	Name, Within, Email string

	SameLeaves, PhoneLeaves         []*Leaf
	NameLeaf, WithinLeaf, EmailLeaf *Leaf
}

func (d *Duplicates) resolve(s *Shape) {
	d.SameLeaves, d.PhoneLeaves = s.all(d.Same), s.all(d.Phones)
	if d.Name != "" {
		d.NameLeaf, d.WithinLeaf, d.EmailLeaf = s.Must(d.Name), s.Must(d.Within), s.Must(d.Email)
	}
}

// FreeMail tells whether a domain is one where anybody gets an address, so that it says nothing about where somebody works.
func FreeMail(domain string) bool { return strings.Contains(freeMail, " "+strings.ToLower(domain)+" ") }

const freeMail = " gmail.com googlemail.com outlook.com outlook.de outlook.fr hotmail.com hotmail.co.uk hotmail.de hotmail.fr hotmail.it " +
	"live.com live.de live.co.uk msn.com" +
	" yahoo.com yahoo.co.uk yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.co.in yahoo.co.jp ymail.com rocketmail.com aol.com icloud.com " +
	"me.com mac.com" +
	" gmx.com gmx.de gmx.net gmx.at gmx.ch web.de t-online.de freenet.de posteo.de mailbox.org proton.me protonmail.com pm.me " +
	"tutanota.com tuta.io" +
	" mail.com mail.ru yandex.ru yandex.com bk.ru list.ru inbox.ru rambler.ru zoho.com fastmail.com hey.com" +
	" orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it alice.it wp.pl o2.pl onet.pl interia.pl seznam.cz" +
	" qq.com 163.com 126.com sina.com naver.com daum.net hanmail.net rediffmail.com bigpond.com comcast.net verizon.net att.net " +
	"sbcglobal.net btinternet.com ntlworld.com sky.com telia.com bluewin.ch "
