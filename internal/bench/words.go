package bench

import (
	"math/rand/v2"
	"strings"
)

// The words of which the records are made. Names are few, so that searches have many matches; sorted by their bytes they come in the order
// that people expect, so that every peer sorts them alike.
var (
	firstNames = strings.Fields("Anna Ben Clara David Emma Felix Greta Henry Ida Jonas " +
		"Klara Leo Mia Noah Olga Paul Rosa Samuel Tilda Viktor")
	lastNames = strings.Fields("Albrecht Bauer Costa Dubois Eriksson Fischer García Hansen Ivanova Jansen " +
		"Kowalski Lindqvist Moreau Novák Petrov Rossi Sjöberg Turner Urban Weber")
	domains    = []string{"northwind", "contoso", "fabrikam", "initech", "umbrella", "globex", "hooli", "vandelay", "wonka", "stark"}
	jobs       = []string{"Sales manager", "Engineer", "Buyer", "Head of finance", "Assistant", "Director", "Consultant"}
	industries = []string{"Retail", "Software", "Logistics", "Health care", "Education", "Hospitality"}
	products   = []string{"Licences", "Service contract", "Training", "Machines", "Subscription", "Support"}
	trades     = strings.Fields("Foods Logistics Design Works Partners Systems Trading Energy Studio Labs Marine Supply")
)

// bunchedWord stands in the oldest third of a business's contacts and nowhere else: the worst case of a text search in another order.
const bunchedWord = "heritage"

const consonants, vowels = "bdfgklmnprstvwxz", "aeiou"

// companyName makes up a name such as Kalmoro Foods. Its first four letters begin in 6,400 ways.
func companyName(random *rand.Rand) string {
	letter := func(of string) byte { return of[random.IntN(len(of))] }
	word := []byte{letter(consonants) - 'a' + 'A', letter(vowels), letter(consonants), letter(vowels), letter(consonants), letter(vowels)}
	return string(word) + " " + pick(random, trades)
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// localName is the part of an e-mail address that has the names in it.
func localName(first, last uint8) string {
	plain := strings.NewReplacer("í", "i", "á", "a", "ö", "o").Replace(lastNames[last])
	return strings.ToLower(firstNames[first] + "." + plain)
}
