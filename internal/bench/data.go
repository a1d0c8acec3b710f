package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"kith/internal/crm"
	"kith/internal/schema"
	"kith/internal/store"
)

// The words of which the records are made. They are few, so that searches have many matches.
var (
	firstNames = []string{"Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Henry", "Ida", "Jonas", "Klara", "Leo", "Mia", "Noah", "Olga", "Paul", "Rosa", "Samuel", "Tilda", "Viktor"}
	lastNames  = []string{"Albrecht", "Bauer", "Costa", "Dubois", "Eriksson", "Fischer", "García", "Hansen", "Ivanova", "Jansen", "Kowalski", "Lindqvist", "Moreau", "Novák", "Öberg", "Petrov", "Rossi", "Schmidt", "Turner", "Weber"}
	companies  = []string{"northwind", "contoso", "fabrikam", "initech", "umbrella", "globex", "hooli", "vandelay", "wonka", "stark"}
	jobs       = []string{"Sales manager", "Engineer", "Buyer", "Head of finance", "Assistant", "Director", "Consultant"}
)

// bunchedWord stands in the oldest third of a business's contacts and nowhere else: the worst case of a text search in another order.
const bunchedWord = "heritage"

// Set is what the operations need to know of a loaded business.
type Set struct {
	Size     int
	business store.Tenant
	owners   []string
	ids      []string
	token    string
}

// sizes spreads contacts over businesses: the largest gets three tenths, the others follow Zipf's law.
func sizes(contacts, businesses int) []int {
	if businesses == 1 {
		return []int{contacts}
	}
	out := []int{contacts * 3 / 10}
	weight := 0.0
	for i := 1; i < businesses; i++ {
		weight += 1 / float64(i)
	}
	rest := contacts - out[0]
	left := rest
	for i := 1; i < businesses; i++ {
		out = append(out, int(float64(rest)/float64(i)/weight))
		left -= out[i]
	}
	for i := range left { // what rounding left over, one each
		out[1+i]++
	}
	return out
}

// fill loads a deterministic set, one business for each of the sizes, and gives the first and the last.
func fill(ctx context.Context, e *crm.Engine, sizes []int, progress func(done int)) (first, last *Set, err error) {
	done := 0
	for b, size := range sizes {
		last, err = fillBusiness(ctx, e, b, size, func(more int) {
			done += more
			progress(done)
		})
		if err != nil {
			return nil, nil, err
		}
		if b == 0 {
			first = last
		}
	}
	return first, last, nil
}

func fillBusiness(ctx context.Context, e *crm.Engine, number, size int, progress func(more int)) (*Set, error) {
	set := &Set{Size: size}
	var owners []schema.UUID
	// The users come in the same transaction: with a wait for the disk for each, a thousand businesses would take half as long again.
	who, err := e.CreateBusiness(ctx, fmt.Sprintf("Business %d", number), "EUR", crm.Person{Email: fmt.Sprintf("admin%d@bench.example", number), Name: "Admin"}, func(tx *store.Tx, who *crm.Principal) error {
		token, err := e.MintToken(tx, who.User, "bench", crm.Scopes(), time.Time{})
		if err != nil {
			return err
		}
		set.token, owners = token.Once[1], []schema.UUID{who.User}
		for i := range 9 {
			user, err := e.Add(tx, who, crm.KindOf("user"), fmt.Sprintf(`{"name":%q,"email":"user%d.%d@bench.example","status":"active"}`, firstNames[i], number, i))
			if err != nil {
				return err
			}
			owners = append(owners, user.Get(crm.Users.ID).UUID())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, o := range owners {
		set.owners = append(set.owners, schema.FormatID("user", o))
	}
	m := maker{random: rand.New(rand.NewPCG(uint64(number), 7)), owners: owners, size: size, start: time.Now().Add(-time.Duration(size) * time.Minute)}
	for from := 0; from < size; from += 1000 {
		n := min(1000, size-from)
		records := make([]*schema.Record, n)
		for i := range records {
			records[i] = m.contact(from + i)
		}
		err := who.Tenant.Write(ctx, store.Actor{User: who.User}, func(tx *store.Tx) error {
			return tx.InsertMany(&crm.KindOf("contact").Resource, records, "create")
		})
		if err != nil {
			return nil, err
		}
		progress(n)
	}
	set.business, set.ids = who.Tenant, m.ids
	return set, nil
}

// maker makes the contacts of one business, oldest first.
type maker struct {
	random *rand.Rand
	owners []schema.UUID
	size   int
	start  time.Time
	ids    []string
}

func (m *maker) contact(i int) *schema.Record {
	kind := crm.KindOf("contact")
	at := m.start.Add(time.Duration(i) * time.Minute)
	rec := schema.NewRecord(&kind.Shape)
	id := schema.NewID(at)
	first, last := firstNames[m.random.IntN(len(firstNames))], lastNames[m.random.IntN(len(lastNames))]
	owner := schema.IDValue(m.owners[m.random.IntN(len(m.owners))])
	rec.Put(crm.Contacts.ID, schema.IDValue(id))
	rec.PutText(crm.Contacts.FirstName, first)
	rec.PutText(crm.Contacts.LastName, last)
	rec.PutText(crm.Contacts.Name, first+" "+last)
	rec.PutText(crm.Contacts.Email, fmt.Sprintf("%s.%s.%d@%s.example", strings.ToLower(first), strings.ToLower(plain(last)), i, companies[m.random.IntN(len(companies))]))
	rec.PutText(crm.Contacts.Phone, fmt.Sprintf("+49 30 %07d", m.random.IntN(10_000_000)))
	job := jobs[m.random.IntN(len(jobs))]
	if i < m.size/3 {
		job += " " + bunchedWord
	}
	rec.PutText(crm.Contacts.JobTitle, job)
	rec.Put(crm.Contacts.LeadScore, schema.FloatValue(float64(m.random.IntN(1000))/10))
	if m.random.IntN(50) == 0 {
		rec.Put(crm.Contacts.LastContactedAt, schema.TimeValue(at.Add(time.Hour)))
	}
	rec.PutText(crm.Contacts.Address.City, "Berlin")
	rec.Put(crm.Contacts.DoNotContact, schema.BoolValue(false))
	rec.Put(crm.Contacts.OwnerID, owner)
	rec.Put(crm.Contacts.CreatedAt, schema.TimeValue(at))
	rec.Put(crm.Contacts.CreatedBy, owner)
	rec.Put(crm.Contacts.UpdatedAt, schema.TimeValue(at.Add(time.Duration(m.random.IntN(1_000_000))*time.Second)))
	rec.Put(crm.Contacts.UpdatedBy, owner)
	rec.Put(crm.Contacts.Version, schema.IntValue(schema.Integer, 1))
	if i%max(1, m.size/4096) == 0 {
		m.ids = append(m.ids, schema.FormatID("contact", id))
	}
	return rec
}

// plain writes a name so that it can stand in an e-mail address.
func plain(name string) string {
	return strings.NewReplacer("í", "i", "á", "a", "Ö", "O").Replace(name)
}
