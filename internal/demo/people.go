package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/kith-crm/kith/internal/query"
)

// country is where people live: what they are called, and what their addresses and phone numbers look like.
type country struct {
	name, timezone string
	// phone has a # for every digit that differs from person to person. Where a country keeps numbers for fiction, it is one of those.
	phone, mobile string
	first, last   []string
	streets       []string
	cities        []city
	// firm are the legal forms of companies.
	firm []string
}

type city struct{ name, region, postal string }

var countries = []country{
	{
		"Germany", "Europe/Berlin", "+49 30 23125 ###", "+49 152 2895 ####",
		strings.Fields("Anna Jörg Ulrike Stefan Käthe Björn Sabine Jürgen Lena Günter Heike Matthias Friederike Lukas Änne Thomas"),
		strings.Fields("Müller Schäfer Krüger Weiß Böhm Schröder Vogel König Jäger Lange Groß Fuchs Kühn Seidel Brandt Übelacker"),
		strings.Fields("Hauptstraße Gartenweg Schillerstraße Mühlenweg Königsallee"),
		[]city{
			{"Berlin", "Berlin", "10115"},
			{"München", "Bayern", "80331"},
			{"Köln", "Nordrhein-Westfalen", "50667"},
			{"Lübeck", "Schleswig-Holstein", "23552"},
		},
		strings.Fields("GmbH AG KG"),
	},
	{
		"France", "Europe/Paris", "+33 1 99 00 ## ##", "+33 6 39 98 ## ##",
		strings.Fields("Élodie François Aurélie Gaël Hélène Jérôme Noémie Thibault Zoé Loïc Camille Mathieu Anaïs Rémi Chloé Benoît"),
		strings.Fields("Lefèvre Moreau Gauthier Dubois Chevalier Périer Béranger Rousseau Fontaine Lemaître Noël Garnier Bénard " +
			"Carpentier Guérin Faure"),
		[]string{"Rue de la République", "Avenue Foch", "Boulevard Voltaire", "Rue des Écoles", "Place du Marché"},
		[]city{
			{"Paris", "Île-de-France", "75011"},
			{"Lyon", "Auvergne-Rhône-Alpes", "69002"},
			{"Besançon", "Bourgogne-Franche-Comté", "25000"},
			{"Orléans", "Centre-Val de Loire", "45000"},
		},
		strings.Fields("SARL SAS SA"),
	},
	{
		"Spain", "Europe/Madrid", "+34 91 555 ## ##", "+34 655 55 ## ##",
		strings.Fields("José María Íñigo Lucía Andrés Begoña Álvaro Inés Raúl Verónica Martín Nuria Óscar Sofía Iván Ángela"),
		strings.Fields("Álvarez García Núñez Ibáñez Muñoz López Sánchez Martínez Peña Gutiérrez Ordóñez Jiménez Vázquez Rodríguez " +
			"Calderón Pérez"),
		[]string{"Calle Mayor", "Gran Vía", "Paseo de la Castellana", "Calle del Sol", "Avenida de América"},
		[]city{
			{"Madrid", "Madrid", "28013"},
			{"Málaga", "Andalucía", "29015"},
			{"León", "Castilla y León", "24001"},
			{"A Coruña", "Galicia", "15001"},
		},
		strings.Fields("S.L. S.A."),
	},
	{
		"Poland", "Europe/Warsaw", "+48 22 555 ## ##", "+48 555 55# ###",
		strings.Fields("Łukasz Małgorzata Paweł Agnieszka Michał Bożena Stanisław Żaneta Krzysztof Zofia Tomasz Elżbieta Grażyna Rafał " +
			"Śławomir Ewa"),
		strings.Fields("Wójcik Kowalczyk Dąbrowski Zieliński Szymański Woźniak Kozłowska Jabłoński Mazur Krawczyk Grabowska Łuczak " +
			"Piątek Król Wróbel Żak"),
		[]string{"ulica Długa", "ulica Piotrkowska", "aleja Róż", "ulica Święty Marcin", "ulica Krótka"},
		[]city{
			{"Warszawa", "Mazowieckie", "00-001"},
			{"Łódź", "Łódzkie", "90-001"},
			{"Kraków", "Małopolskie", "30-001"},
			{"Gdańsk", "Pomorskie", "80-001"},
		},
		[]string{"sp. z o.o.", "S.A."},
	},
	{
		"Denmark", "Europe/Copenhagen", "+45 55 55 ## ##", "+45 55 50 ## ##",
		strings.Fields("Søren Mette Jørgen Åse Lærke Rasmus Bjørk Henrik Sørine Kåre Ida Anders Maja Øyvind Freja Niels"),
		strings.Fields("Sørensen Jørgensen Møller Nørgaard Østergaard Kjær Åkesson Bæk Lund Holm Thomsen Christensen Dahl Ravn Krogh Skov"),
		[]string{"Strøget", "Nørrebrogade", "Åboulevarden", "Vestergade", "Søndergade"},
		[]city{
			{"København", "Hovedstaden", "1050"},
			{"Århus", "Midtjylland", "8000"},
			{"Ålborg", "Nordjylland", "9000"},
			{"Helsingør", "Hovedstaden", "3000"},
		},
		strings.Fields("ApS A/S"),
	},
	{
		"Czechia", "Europe/Prague", "+420 255 55# ###", "+420 755 55# ###",
		strings.Fields("Jiří Kateřina Tomáš Lenka Ondřej Věra Zdeněk Šárka Matěj Jana Luboš Anežka Dušan Markéta Bořek Tereza"),
		strings.Fields("Novák Dvořák Černý Procházka Kučera Veselý Horák Němec Pokorný Růžička Beneš Fiala Sedláček Šimek Kříž Bláha"),
		[]string{"Dlouhá", "Husova", "Náměstí Míru", "Václavské náměstí", "Na Příkopě"},
		[]city{
			{"Praha", "Praha", "110 00"},
			{"Brno", "Jihomoravský", "602 00"},
			{"Plzeň", "Plzeňský", "301 00"},
			{"České Budějovice", "Jihočeský", "370 01"},
		},
		[]string{"s.r.o.", "a.s."},
	},
	{
		"United Kingdom", "Europe/London", "+44 1632 960 ###", "+44 7700 900 ###",
		strings.Fields("Oliver Amelia George Isla Harry Poppy Callum Freya Siobhán Rhys Eleanor Alfie Imogen Zoë Niamh Theo"),
		strings.Fields("Smith O'Brien Taylor Hughes Whitfield Clarke Patel Robertson MacLeod Ashworth Bennett Khan Fletcher Pryce Doyle " +
			"Armitage"),
		[]string{"High Street", "Station Road", "Victoria Road", "Mill Lane", "Church Street"},
		[]city{
			{"London", "England", "EC1A 1BB"},
			{"Leeds", "England", "LS1 4DY"},
			{"Edinburgh", "Scotland", "EH1 1YZ"},
			{"Cardiff", "Wales", "CF10 1EP"},
		},
		strings.Fields("Ltd plc LLP"),
	},
	{
		"United States", "America/New_York", "+1 212 555 01##", "+1 917 555 01##",
		strings.Fields("Emma Liam Renée Noah Ava Mateo Sophia Jackson Chloe Elijah Naomi Caleb Beyza Logan Dakota Zachary"),
		strings.Fields("Johnson Williams García Nguyen Thompson Peterson Washington Kowalski Rivera Goldberg Chen Anderson Brooks Murphy " +
			"Hernández Sullivan"),
		[]string{"Main Street", "Market Street", "Oak Avenue", "5th Avenue", "Lake Shore Drive"},
		[]city{{"New York", "NY", "10001"}, {"Chicago", "IL", "60601"}, {"San José", "CA", "95112"}, {"Austin", "TX", "78701"}},
		strings.Fields("Inc. LLC Corp."),
	},
	{
		"Brazil", "America/Sao_Paulo", "+55 11 5550 ####", "+55 11 95550 ####",
		strings.Fields("João Conceição Luís Inês Antônio Letícia Mário Júlia Sebastião Cecília Caio Flávia Vinícius Débora Otávio Thaís"),
		strings.Fields("Gonçalves Araújo Magalhães Simões Conceição Falcão Assunção Guimarães Moraes Leão Brandão Sá Vilaça Pinheiro " +
			"Fagundes Queirós"),
		[]string{"Rua Augusta", "Avenida Paulista", "Rua São Bento", "Travessa da Glória", "Praça da Sé"},
		[]city{
			{"São Paulo", "SP", "01310-100"},
			{"Brasília", "DF", "70040-010"},
			{"Florianópolis", "SC", "88010-000"},
			{"Belém", "PA", "66010-000"},
		},
		strings.Fields("Ltda. S.A."),
	},
	{
		"Japan", "Asia/Tokyo", "+81 3 5550 ####", "+81 90 5550 ####",
		strings.Fields("Yūki Haruka Kenji Sakura Shōta Aiko Daichi Mizuki Ryō Hanako Takumi Yōko Kazuo Emi Jirō Nao"),
		strings.Fields("Satō Tanaka Itō Watanabe Yamamoto Katō Kobayashi Ōno Hayashi Saitō Shimizu Abe Inoue Kondō Endō Gotō"),
		[]string{"Chūō-dōri", "Meiji-dōri", "Sakura-zaka", "Ōme Kaidō", "Kita-machi"},
		[]city{
			{"Tōkyō", "Tōkyō", "100-0001"},
			{"Ōsaka", "Ōsaka", "530-0001"},
			{"Kyōto", "Kyōto", "600-8001"},
			{"Kōbe", "Hyōgo", "650-0001"},
		},
		strings.Fields("K.K. G.K."),
	},
	{
		"India", "Asia/Kolkata", "+91 22 5550 ####", "+91 98555 #####",
		strings.Fields("Priya Arjun Ananya Rohan Kavya Vikram Meera Aditya Divya Sanjay Nisha Rahul Lakshmi Karthik Pooja Imran"),
		strings.Fields("Nair Sharma Iyer Patel Reddy Banerjee Kulkarni Singh Menon Gupta Desai Joshi Khan Pillai Chatterjee Rao"),
		[]string{"MG Road", "Linking Road", "Park Street", "Brigade Road", "Residency Road"},
		[]city{
			{"Mumbai", "Maharashtra", "400001"},
			{"Bengaluru", "Karnataka", "560001"},
			{"Kolkata", "West Bengal", "700001"},
			{"Chennai", "Tamil Nadu", "600001"},
		},
		[]string{"Pvt. Ltd.", "Ltd."},
	},
	{
		"Türkiye", "Europe/Istanbul", "+90 212 555 ## ##", "+90 555 555 ## ##",
		strings.Fields("Ayşe Çağlar İpek Mehmet Gülşen Oğuz Zeynep Barış Şebnem Emre Büşra Kağan Elif Ömer Nazlı Uğur"),
		strings.Fields("Yılmaz Öztürk Çelik Şahin Güneş Kılıç Doğan Aydın Türkoğlu Işık Koç Erdoğdu Polat Çınar Ünal Bozkurt"),
		[]string{"İstiklal Caddesi", "Bağdat Caddesi", "Atatürk Bulvarı", "Çiçek Sokak", "Göztepe Sokak"},
		[]city{
			{"İstanbul", "İstanbul", "34000"},
			{"İzmir", "İzmir", "35000"},
			{"Eskişehir", "Eskişehir", "26000"},
			{"Muğla", "Muğla", "48000"},
		},
		[]string{"A.Ş.", "Ltd. Şti."},
	},
}

var jobTitles = []string{
	"Head of Procurement", "Office Manager", "Operations Manager", "Chief Executive Officer", "Chief Financial Officer", "Buyer",
	"Hotel Manager", "Restaurant Manager", "Facilities Manager", "Chef de cuisine", "Geschäftsführerin", "Directeur général",
	"Jefe de compras", "Team Assistant", "Food & Beverage Manager", "Store Manager", "Head Barista", "Workplace Experience Lead",
	"Accountant", "Owner",
}

var industries = []string{
	"Hospitality", "Restaurants", "Cafés", "Offices", "Retail", "Health care", "Education", "Logistics", "Software", "Public sector",
	"Manufacturing", "Events",
}

var leadSources = []string{"Website", "Trade fair", "Referral", "Cold call", "Partner", "Newsletter", "LinkedIn"}

// trades are what companies do, as a part of their names.
var trades = []string{
	"Logistics", "Hotels", "Foods", "Software", "Design", "Consulting", "Trading", "Industries", "Media", "Engineering", "Catering",
	"Properties", "Pharma", "Textiles", "Energy", "Travel", "Robotics", "Furniture", "Books", "Sports",
}

// pick chooses one of a list.
func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// chance is true in percent of all cases.
func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// number fills in the digits of a phone number.
func number(r *rand.Rand, form string) string {
	digits := []byte(form)
	for i := range digits {
		if digits[i] == '#' {
			digits[i] = byte('0' + r.IntN(10))
		}
	}
	return string(digits)
}

// slug is a name as it appears in addresses on the net: plain letters and hyphens.
func slug(name string) string {
	words := strings.FieldsFunc(query.Fold(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// mailbox is a person's e-mail address in a domain that cannot exist.
func mailbox(first, last, domain string) string { return slug(first) + "." + slug(last) + "@" + domain }

// street is a house in a country, with its number where people there write it.
func (c *country) street(r *rand.Rand) string {
	name, house := pick(r, c.streets), 1+r.IntN(180)
	switch c.name {
	case "France", "United Kingdom", "United States", "India":
		return fmt.Sprintf("%d %s", house, name)
	default:
		return fmt.Sprintf("%s %d", name, house)
	}
}
