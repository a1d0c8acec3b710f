package demo

import "fmt"

// salesStages are the open stages that a deal passes in the default pipeline.
var salesStages = []string{"Sales/Qualification", "Sales/Meeting", "Sales/Proposal", "Sales/Negotiation"}

// negotiate plans a deal: the stages it passes, its quote, and how it ends, if it has ended by today.
func (s *story) negotiate(f *firm, daysAgo int) {
	s.dealNumber++
	number := s.dealNumber
	// Every deal rests in one of its stages for good, is lost, or is won.
	stop, fate := len(salesStages), []string{"win", "lose", "win", "rest"}[number%4]
	if fate == "rest" {
		stop = 1 + number/4%len(salesStages)
	}
	if number%8 == 7 {
		daysAgo = min(daysAgo, 30+s.rng.IntN(15)) // most deals that rest are young ones
	}
	deal, contact := new(string), new(string)
	lines := s.lines(daysAgo)
	closes := daysAgo - 45 - s.rng.IntN(30)
	s.on(daysAgo, f.owner, func() (err error) {
		*contact = pick(s.rng, f.people).id
		*deal, err = s.add("deal", fields{
			"name": fmt.Sprintf("%s: %s", f.name, lines[0].title), "company_id": f.id, "contact_id": *contact, "line_items": items(lines),
			"expected_close_date": s.day(closes), "next_step": pick(s.rng, nextSteps), "owner_id": f.owner,
		})
		if err == nil {
			err = s.involve(f, *deal, number)
		}
		if err == nil && chance(s.rng, 45) {
			err = s.note(f, *contact, *deal, daysAgo)
		}
		if err == nil && chance(s.rng, 45) {
			err = s.task(f, *contact, *deal, daysAgo)
		}
		return err
	})
	at := daysAgo
	for _, stage := range salesStages[1:stop] {
		at -= 4 + s.rng.IntN(9)
		s.on(at, f.owner, func() error { return s.act("deal", *deal, "change_stage", fields{"stage_id": s.stages[stage]}) })
		if stage == "Sales/Proposal" {
			s.offer(f, deal, contact, lines, at-1, fate, number)
		}
	}
	at -= 5 + s.rng.IntN(9)
	switch {
	case fate != "rest" && at < 0:
		closes = at // it has not ended yet
	case fate == "rest" && number%16 != 3: // one in four is left with the day that was hoped for once
		s.hope(f, deal, min(at, 1+s.rng.IntN(12)))
	}
	switch fate {
	case "win":
		s.on(at, f.owner, func() error {
			if err := s.act("deal", *deal, "win", nil); err != nil {
				return err
			}
			return s.welcome(f, *contact)
		})
		if number%3 == 0 {
			s.renew(f, contact, max(at-75, min(at-20, 30)), number) // early enough to see how it ends
		}
	case "lose":
		s.on(at, f.owner, func() error {
			reason := pick(s.rng, lostReasons)
			return s.act("deal", *deal, "lose", fields{"loss_reason_id": s.reasons[reason], "lost_reason": lostDetails[reason]})
		})
		if number%16 == 1 {
			s.on(at-3, f.owner, func() error { return s.act("deal", *deal, "reopen", nil) })
			s.hope(f, deal, min(at-4, 1+s.rng.IntN(12)))
		}
	}
}

// involve associates a deal with somebody at the company who has a say in it, now and then the contact of the deal itself.
func (s *story) involve(f *firm, deal string, number int) error {
	labels := []string{"decision maker", "technical advisor", "user"}
	who := f.people[number%len(f.people)]
	_, err := s.add("association", fields{"from_id": deal, "to_id": who.id, "label": labels[number%len(labels)], "owner_id": f.owner})
	return err
}

// hope plans that somebody sets the day anew on which a deal that is still open will close: one in the coming weeks.
func (s *story) hope(f *firm, deal *string, daysAgo int) {
	closes := -3 - s.rng.IntN(45)
	s.on(daysAgo, f.owner, func() error { return s.patch("deal", *deal, fields{"expected_close_date": s.day(closes)}) })
}

// welcome makes customers of a company and its contact.
func (s *story) welcome(f *firm, contact string) error {
	if err := s.patch("company", f.id, fields{"lifecycle_stage_id": s.lifecycle["Customer"], "company_type": "customer"}); err != nil {
		return err
	}
	return s.patch("contact", contact, fields{"lifecycle_stage_id": s.lifecycle["Customer"]})
}

// renew plans the renewal of a service contract in the other pipeline.
func (s *story) renew(f *firm, contact *string, daysAgo, number int) {
	var deal string
	s.on(daysAgo, f.owner, func() (err error) {
		deal, err = s.add("deal", fields{
			"name": f.name + ": service contract, next year", "company_id": f.id, "contact_id": *contact, "owner_id": f.owner,
			"pipeline_id": s.pipelines["Renewals"], "expected_close_date": s.day(min(daysAgo-60, -7-number%40)),
			"amount": []string{"390.00", "1190.00"}[number%2],
		})
		return err
	})
	moves := []struct {
		action string
		args   fields
	}{
		{"change_stage", fields{"stage_id": s.stages["Renewals/Offer sent"]}},
		{"change_stage", fields{"stage_id": s.stages["Renewals/Verbal yes"]}},
		{"win", nil},
	}
	switch number / 3 % 5 {
	case 1:
		moves[1].action, moves[1].args = "lose", fields{
			"loss_reason_id": s.reasons["Chose a competitor"], "lost_reason": "Buys elsewhere",
		}
		moves = moves[:2]
	case 2, 3, 4:
		moves = moves[:number/3%5-2]
	}
	for i, m := range moves {
		s.on(daysAgo-9*(i+1), f.owner, func() error { return s.act("deal", deal, m.action, m.args) })
	}
}

// line is a product on a deal or quote.
type line struct {
	product, title string
	fields         fields
}

// lines chooses what a deal is about. Products that are gone by the time of the quote are left out.
func (s *story) lines(daysAgo int) []line {
	var chosen []line
	seen := map[string]bool{}
	for range 1 + s.rng.IntN(4) {
		p := pick(s.rng, s.products)
		if leaves, ok := departures[p.sku]; seen[p.id] || ok && leaves.daysAgo > daysAgo-60 {
			continue
		}
		seen[p.id] = true
		f := fields{"product_id": p.id, "quantity": fmt.Sprint(1 + s.rng.IntN(4))}
		switch p.category {
		case "Beans":
			f["quantity"] = fmt.Sprintf("%d.5", 10+s.rng.IntN(60))
		case "Subscriptions":
			f["quantity"] = "12"
		}
		if chance(s.rng, 30) {
			f["discount_percent"] = pick(s.rng, []float64{5, 7.5, 10, 12.5})
		}
		chosen = append(chosen, line{p.id, p.name, f})
	}
	if len(chosen) == 0 {
		p := s.products[0]
		chosen = append(chosen, line{p.id, p.name, fields{"product_id": p.id}})
	}
	return chosen
}

func items(lines []line) []fields {
	all := make([]fields, len(lines))
	for i, l := range lines {
		all[i] = l.fields
	}
	return all
}

// offer plans the quote of a deal.
func (s *story) offer(f *firm, deal, contact *string, lines []line, daysAgo int, fate string, number int) {
	quote := new(string)
	answered := daysAgo - 4
	data := fields{
		"title": "Offer for " + f.name, "line_items": items(lines),
		"terms": "Payment within 30 days. Delivery within three weeks.",
	}
	// Whether a quote has expired is a matter of today, so one that was answered in time, but long ago, goes without a last day.
	expires := daysAgo - 31
	if expires < 0 || fate == "rest" || fate == "lose" && number%3 == 0 {
		data["valid_until"] = s.day(expires)
	}
	s.on(daysAgo, f.owner, func() (err error) {
		data["deal_id"], data["company_id"], data["contact_id"] = *deal, f.id, *contact
		*quote, err = s.add("quote", data)
		return err
	})
	if fate == "rest" && number%8 == 3 {
		return // still a draft
	}
	s.on(daysAgo-1, f.owner, func() error { return s.act("quote", *quote, "send", nil) })
	switch {
	case fate == "win":
		s.on(answered, f.owner, func() error { return s.act("quote", *quote, "accept", nil) })
	case fate == "lose" && number%3 != 0:
		s.on(answered, f.owner, func() error {
			return s.act("quote", *quote, "decline", fields{"declined_reason": pick(s.rng, lostReasons)})
		})
		if number%5 == 0 {
			s.on(answered-1, f.owner, func() error { return s.act("quote", *quote, "revise", nil) })
		}
	}
}
