// Package client speaks to a kith server.
//
//	kith, err := client.New("https://crm.example.com", client.StaticToken("kith_pat_…"))
//	…
//	zoe, err := kith.Contacts.Create(ctx, client.ContactInput{
//		Name:      client.Set("Zoë Müller"),
//		Email:     client.Set("zoe@acme.example"),
//		LeadScore: client.Set(72.0),
//	})
//
// A [Client] has a field for each resource: Contacts, Deals, Tasks and so on, each with the calls that the resource has. Records,
// inputs, the names of fields and the calls are generated from the server's own declarations, so that they cannot say anything else
// than the server does.
//
// # Records and inputs
//
// A record, such as [Contact], is what the server answers. An absent value is the zero value of its Go type: the empty text, id,
// [Decimal], [Date] or time, because the server takes the empty ones for absent itself. Numbers and truth values that may be absent
// are pointers, because zero and false are values. Where the caller may write a record and not read it, only its id and version are
// filled in.
//
// An input, such as [ContactInput], is what is sent, to create and to update. Each of its fields is a [Field], which says one of
// three things: nothing (left as it is), [Null] (emptied), or a value ([Set]).
//
// Amounts are exact: a [Decimal] is a text with digits and never passes through floating point.
//
// # Searches
//
// A [Query] says what to look for. Its filters are made from the names of fields, with the operators that the field takes and
// values of its type:
//
//	for contact, err := range kith.Contacts.Search(ctx, client.Query{
//		Filters: []client.Filter{
//			client.ContactFields.LeadScore.Gte(50),
//			client.ContactFields.Company.Name.StartsWith("Acme"),
//		},
//		Order: client.ContactFields.LastContactedAt.Asc(),
//	}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(contact.Name)
//	}
//
// [Where] makes a filter on any path that the server understands, by its name. Search fetches page after page as the loop goes on,
// and stops with it. SearchPage gives one page; who keeps its Next can go on from there another time, also in another process.
//
// # What is sent twice is done once
//
// Every write carries an idempotency key, by default one that the client makes for this call. When the connection breaks, or the
// server says that it is busy, the client sends the same request again under the same key: if the first was done after all, the
// server answers what it answered then. How long to wait the server says itself; else the client waits a little longer each time.
// The context bounds all of it.
//
// # Errors
//
// What the server refuses is an [*Error]: its code, what is wrong with which field, which record is in the way, what changed
// meanwhile. Each code is also an error to compare with:
//
//	if errors.Is(err, client.ErrNotFound) { … }
package client
