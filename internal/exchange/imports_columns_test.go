package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/kith-crm/kith/internal/apitest"
)

// columnsOf tells what the columns of an import are: those that are read with their fields, and those that have to be decided with
// a question mark.
func columnsOf(a *Answer) string {
	var told []string
	open := map[string]bool{}
	for i := 0; At(a.JSON, fmt.Sprintf("undecided.%d.field", i)) != nil; i++ {
		open[strings.TrimPrefix(fmt.Sprint(At(a.JSON, fmt.Sprintf("undecided.%d.field", i))), "mapping.")] = true
	}
	for i := 0; ; i++ {
		name := At(a.JSON, fmt.Sprintf("columns.%d.name", i))
		if name == nil {
			return strings.Join(told, ", ")
		}
		field := At(a.JSON, fmt.Sprintf("columns.%d.field", i))
		switch {
		case field != nil:
			told = append(told, fmt.Sprintf("%s=%s", name, field))
		case open[fmt.Sprint(name)]:
			told = append(told, fmt.Sprintf("%s?", name))
		}
	}
}

// What other programs export is known by what they call it; what is not read needs no decision where it is empty, cannot be
// written, or another column has it.
func TestFilesOfOtherProgramsAreKnown(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		for _, c := range []struct{ of, resource, file, want string }{
			{
				"HubSpot's contacts", "contact", "Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Last Activity Date," +
					"Lead Status,Lifecycle Stage,Create Date,Associated Company,Associated Company IDs,Job Title,Street Address,City," +
					"State/Region,Postal Code,Country/Region,Marketing contact status\n1,B,H,b@x.example,1,,2026-01-02 10:22,,Lead," +
					"2026-01-01 09:00,Hub,7,CEO,1 Main,Boston,MA,02110,US,yes\n",
				"Record ID=external_id, First Name=first_name, Last Name=last_name, Email=email, Phone Number=phone, Contact " +
					"owner=owner.name, Last Activity Date=last_contacted_at, Lifecycle Stage=lifecycle_stage.name, Associated " +
					"Company=company.name, Job Title=job_title, Street Address=address.street, City=address.city, " +
					"State/Region=address.region, Postal Code=address.postal_code, Country/Region=address.country, Marketing contact " +
					"status?",
			},
			{
				"HubSpot's companies", "company", "Record ID,Company name,Company owner,Company Domain Name,Website URL,Number of " +
					"Employees,Annual Revenue,LinkedIn Company Page,Parent Company\n7,Hub,,hub.example,https://hub.example,7000,15," +
					"https://linkedin.com/company/hub,\n",
				"Record ID=external_id, Company name=name, Company owner=owner.name, Company Domain Name=domain, Website URL=website, " +
					"Number of Employees=employee_count, Annual Revenue=annual_revenue, LinkedIn Company Page=linkedin_url, Parent " +
					"Company=parent_company.name",
			},
			{
				"Pipedrive's people", "contact", "Person - Name,Person - Label,Person - Organization,Person - Phone - Home,Person - " +
					"Phone - Work,Person - Phone - Mobile,Person - Email - Work,Person - Email - Home,Person - ID,Person - Person " +
					"created,Person - Open deals\nAda,hot,Analytical,3,1,2,a@x.example,h@x.example,12,2026-01-01,1\n",
				"Person - Name=name, Person - Label=tags, Person - Organization=company.name, Person - Phone - Work=phone, Person - " +
					"Phone - Mobile=mobile_phone, Person - Email - Work=email, Person - ID=external_id, Person - Open deals?",
			},
			{
				"Pipedrive's deals", "deal", "Deal - Title,Deal - Value,Deal - Currency of Value,Deal - Stage,Deal - Pipeline,Deal - " +
					"Organization,Deal - Contact person,Deal - Expected close date,Deal - Owner,Deal - Status,Deal - ID,Deal - Deal " +
					"created\nEngine,5000,GBP,Lead,Sales,Analytical,,2026-12-24,,Open,9,2026-01-02\n",
				"Deal - Title=name, Deal - Value=amount, Deal - Currency of Value=currency, Deal - Stage=stage.name, Deal - " +
					"Pipeline=pipeline.name, Deal - Organization=company.name, Deal - Contact person=contact.name, Deal - Expected close " +
					"date=expected_close_date, Deal - Owner=owner.name, Deal - Status=status, Deal - ID=external_id",
			},
			{
				"Salesforce's contacts", "contact",
				"Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing City,Mailing State/Province,Mailing " +
					"Zip/Postal Code,Mailing Country,Phone,Mobile,Email,Account Owner,Contact ID\nMs.,R,G,SVP,Edge,1 Place,Austin,TX," +
					"78767,USA,1,2,r@x.example,,003\n",
				"Salutation?, First Name=first_name, Last Name=last_name, Title=job_title, Account Name=company.name, Mailing " +
					"Street=address.street, Mailing City=address.city, Mailing State/Province=address.region, Mailing Zip/Postal " +
					"Code=address.postal_code, Mailing Country=address.country, Phone=phone, Mobile=mobile_phone, Email=email, Contact " +
					"ID=external_id",
			},
			{
				"Salesforce's opportunities", "deal",
				"Opportunity ID,Opportunity Name,Account Name,Account ID,Stage,Amount,Amount Currency,Close Date,Probability (%),Next " +
					"Step\n006,Edge SLA,Edge,001,Lead,6,USD,11/30/2026,60,Call\n",
				"Opportunity ID=external_id, Opportunity Name=name, Account Name=company.name, Stage=stage.name, Amount=amount, Amount " +
					"Currency=currency, Close Date=expected_close_date, Probability (%)=probability, Next Step=next_step",
			},
			{
				"Google's", "contact", "First Name,Middle Name,Last Name,Organization Name,Organization Title,Birthday,Labels,E-mail 1 - " +
					"Label,E-mail 1 - Value,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Formatted,Address 1 - Street," +
					"Address 1 - City\nGrace,,H,Navy,Admiral,1906-12-09,* myContacts ::: Work,Work,g@x.example,h@x.example,Mobile,1,x," +
					"\"1 " +
					"Sea\nDeck 2\",Arlington\n",
				"First Name=first_name, Last Name=last_name, Organization Name=company.name, Organization Title=job_title, Birthday?, " +
					"Labels=tags, E-mail 1 - Value=email, Phone 1 - Value=phone, Address 1 - Street=address.street, Address 1 - " +
					"City=address.city",
			},
			{
				"Outlook's", "contact", "First Name,Title,Last Name,E-mail Address,E-mail 2 Address,Home Phone,Business Phone,Mobile " +
					"Phone,Job Title,Company,Home Street,Business Street,Business Postal Code,Department\nMax,Dr.,P,m@x.example," +
					"n@x.example,1,2,3,Prof,KWI,H 1,B 1,14195,\n",
				"First Name=first_name, Last Name=last_name, E-mail Address=email, Business Phone=phone, Mobile Phone=mobile_phone, Job " +
					"Title=job_title, Company=company.name, Business Street=address.street, Business Postal Code=address.postal_code",
			},
			{
				"Outlook's in German", "contact", "Anrede;Vorname;Nachname;Firma;Position;Straße geschäftlich;Ort geschäftlich;" +
					"Postleitzahl geschäftlich;Telefon geschäftlich;Telefon privat;Mobiltelefon;E-Mail-Adresse;Kategorien\n;J;M;Söhne;" +
					"Chef;Weg 1;Köln;50667;1;2;3;j@x.example;Kunde\n",
				"Vorname=first_name, Nachname=last_name, Firma=company.name, Position=job_title, Straße geschäftlich=address.street, Ort " +
					"geschäftlich=address.city, Postleitzahl geschäftlich=address.postal_code, Telefon geschäftlich=phone, " +
					"Mobiltelefon=mobile_phone, E-Mail-Adresse=email, Kategorien=tags",
			},
			{"what is empty gives way", "contact", "name,Business Phone,Home Phone,\nA,,2,\n", "name=name, Home Phone=phone"},
			{
				"ids of another program are external", "deal", "ID,name,company_id,contact_id\n1,A,7,8\n",
				"ID=external_id, name=name, company_id=company.external_id, contact_id=contact.external_id",
			},
			{
				"ids of kith are ids", "deal", "id,name,company_id\ndeal_01kh4xv1qcf0mvq8gk8d8mvxd9,A,company_01kh4xv1qcf0mvq8gk8d8mvxd9\n",
				"id=id, name=name, company_id=company_id",
			},
			{
				"of two of the same name the first is read", "contact", "name,E-Mail,E-Mail\nA,a@x.example,b@x.example\n",
				"name=name, E-Mail=email",
			},
			{"a path goes before a name", "contact", "Mail,email,name\na@x.example,b@x.example,A\n", "email=email, name=name"},
		} {
			if got := columnsOf(w.Upload(t, `{"resource":"`+c.resource+`"}`, c.file)); got != c.want {
				t.Errorf("%s:\n%s, want\n%s", c.of, got, c.want)
			}
		}
		w.Upload(t, `{"resource":"contact"}`, "name,E-Mail,E-Mail\nA,a@x.example,b@x.example\n")
		w.Run(t, []Step{{
			Rule: "of two of the same name either can be said", Do: "PATCH /imports/$import",
			Body: `{"mapping":{"E-Mail":"-","E-Mail (2)":"email"}}`, Status: 200,
			Want: `{"columns":[{"field":"name"},{"field":null},{"field":"email"}],"undecided":[]}`,
		}})
	})
}

// Deals come into the stages that their rows name, of their pipeline or any, and are won or lost where the rows say so.
func TestImportedDealsAreInTheirStages(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Run(t, []Step{
			{
				Rule: "a pipeline", Do: "POST /pipelines",
				Body: `{"name":"Partners","stages":[{"name":"First talk"},{"name":"Signed","kind":"won"}]}`, Status: 201,
			},
			{
				Rule: "another one, with a stage of the same name", Do: "POST /pipelines",
				Body: `{"name":"Renewals","stages":[{"name":"First talk"},{"name":"Due"}]}`, Status: 201,
			},
		})
		file := "Deal - Title,Deal - Pipeline,Deal - Stage,Deal - Status,Deal - Organization\n" +
			"A,Partners,first TALK,Open,Edge\nB,Renewals,First talk,,Edge\nC,Renewals,Due,Won,Edge\nD,,Due,lost,Edge\nE,Partners,Due," +
			"Open," +
			"Edge\nF,,,won,Edge\nG,Partners,,,Edge\nH,,Nowhere,,Edge\n"
		w.Upload(t, `{"resource":"deal"}`, file)
		a := runs(w, t, "succeeded 6 0 0 2")
		w.Vars["job"] = fmt.Sprint(At(a.JSON, "run.job_id"))
		w.Run(t, []Step{
			{
				Rule: "deals are in the stages of their pipelines", Do: "POST /deals/search",
				Body:   `{"fields":["name","status","stage.name","pipeline.name","company.name"],"order_by":"name","sort_direction":"asc"}`,
				Status: 200, Want: `{"data":[
				{"name":"A","status":"open","stage":{"name":"First talk"},"pipeline":{"name":"Partners"},"company":{"name":"Edge"}},
				{"name":"B","status":"open","stage":{"name":"First talk"},"pipeline":{"name":"Renewals"}},
				{"name":"C","status":"won","pipeline":{"name":"Renewals"}},
				{"name":"D","status":"lost","pipeline":{"name":"Renewals"}},
				{"name":"F","status":"won"},
				{"name":"G","status":"open","stage":{"name":"First talk"},"pipeline":{"name":"Partners"}}]}`,
			},
			{
				Rule: "one company for all", Do: "POST /companies/search", Body: `{"fields":["name"]}`, Status: 200,
				Want: `{"data":[{"name":"Edge"}]}`,
			},
		})
		refused := w.Send(t, Step{Do: "POST /jobs/$job/refused/search"})
		for _, want := range []string{`"Deal - Stage","code":"not_found","message":"is the name of no stage; there are First talk, Lost, ` +
			`Signed"`, `"n":8`} {
			if !strings.Contains(string(refused.Text), want) {
				t.Errorf("what was refused is %s, want %s", refused.Text, want)
			}
		}
		again := string(w.Send(t, Step{Do: "POST /deals/export", Body: `{"format":"csv"}`}).Text)
		w.Upload(t, `{"resource":"deal"}`, again)
		runs(w, t, "succeeded 0 0 6 0")
	})
}

// Options are known by what people see of them.
func TestImportedOptionsAreKnownByTheirLabels(t *testing.T) {
	OnEach(t, func(t *testing.T, w *World) {
		w.Workers(t)
		w.Run(t, []Step{{
			Rule: "a field", Do: "POST /fields",
			Body: `{"resource":"contact","name":"tier","label":"Tier","kind":"select","options":[{"value":"t1","label":"Gold customers"},` +
				`{"value":"t2","label":"T1"}]}`, Status: 201,
		}})
		w.Upload(t, `{"resource":"contact"}`, "name,Tier\nA,gold customers\nB,T1\nC,t2\nD,Tin\n")
		runs(w, t, "succeeded 3 0 0 1")
		w.Run(t, []Step{{
			Rule: "they are the values", Do: "POST /contacts/search",
			Body: `{"fields":["name","custom_fields.tier"],"order_by":"name","sort_direction":"asc"}`, Status: 200,
			Want: `{"data":[{"name":"A","custom_fields":{"tier":"t1"}},{"name":"B","custom_fields":{"tier":"t1"}},{"name":"C",` +
				`"custom_fields":{"tier":"t2"}}]}`,
		}})
	})
}
