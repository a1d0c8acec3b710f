package demo

// item is a product of the demo business. Beans and subscriptions are food, which is taxed less.
type item struct{ sku, name, category, price, cost, unit, about string }

var catalogue = []item{
	{"ESP-100", "Aurora One espresso machine", "Machines", "2450.00", "1610.00", "piece", "One group, rotary pump, 4-litre boiler."},
	{
		"ESP-200", "Aurora Duo espresso machine", "Machines", "6890.00", "4480.00", "piece",
		"Two groups, dual boiler, for up to 300 cups a day.",
	},
	{"ESP-300", "Aurora Trio espresso machine", "Machines", "11250.50", "7310.00", "piece", "Three groups for busy bars."},
	{"ESP-050", "Aurora Mini espresso machine", "Machines", "1190.00", "790.00", "piece", "The predecessor of Aurora One."},
	{"GRD-010", "Mahlwerk 64 grinder", "Grinders", "890.00", "520.00", "piece", "64 mm flat burrs."},
	{"GRD-020", "Mahlwerk 83 on-demand grinder", "Grinders", "1749.00", "1090.00", "piece", "83 mm burrs, doses by weight."},
	{"BRW-001", "Batch brewer 2 × 5 l", "Brewers", "1320.00", "845.00", "piece", "For conferences and breakfast rooms."},
	{"BNS-ETH", "Yirgacheffe beans, filter roast", "Beans", "21.9000", "11.2500", "kg", "Floral, light roast, washed."},
	{"BNS-BRA", "São João beans, espresso roast", "Beans", "16.4500", "8.1000", "kg", "Chocolate and nuts, medium roast."},
	{"BNS-DEC", "Décaféiné maison beans", "Beans", "19.9500", "10.6000", "kg", "Decaffeinated with mountain water."},
	{
		"SUB-OFF", "Office subscription, 10 kg a month", "Subscriptions", "159.00", "84.00", "month",
		"Fresh beans every month, cancel any time.",
	},
	{"SUB-HOT", "Hotel subscription, 40 kg a month", "Subscriptions", "579.00", "322.00", "month", "Beans for breakfast and bar."},
	{"SRV-BAS", "Service contract Basic", "Service", "390.00", "150.00", "year", "One inspection a year, parts not included."},
	{"SRV-PRO", "Service contract Pro", "Service", "1190.00", "480.00", "year", "Repair within 24 hours, parts included."},
	{"TRN-BAR", "Barista training, one day", "Training", "680.00", "210.00", "day", "Up to six people, at your place."},
	{"TRN-LAT", "Latte art workshop", "Training", "420.00", "130.00", "half day", "Four people, milk included."},
	{"ACC-CUP", "Porcelain cups, set of 12", "Accessories", "96.00", "41.00", "set", "190 ml, stackable."},
	{"ACC-FLT", "Water filter cartridge", "Accessories", "64.9900", "28.0000", "piece", "Lasts about 4,000 litres."},
	{"ESP-400", "Aurora Quattro espresso machine", "Machines", "15900.00", "10200.00", "piece", "Announced for next year."},
}

// departures tell how many days ago a product was archived, or deleted.
var departures = map[string]struct {
	daysAgo int
	deleted bool
}{"ESP-050": {100, false}, "TRN-LAT": {80, true}}

// customers are the companies that the demo business sells to. country is the place in countries.
var customers = []struct {
	name      string
	country   int
	industry  string
	kind      string
	employees int
	revenue   string
}{
	{"Hotel Königshof", 0, "Hospitality", "customer", 140, "9200000"},
	{"Bäckerei Krüger", 0, "Cafés", "customer", 46, "3100000"},
	{"Spree Coworking", 0, "Offices", "prospect", 28, "2400000"},
	{"Café Größenwahn", 0, "Cafés", "customer", 12, "640000"},
	{"Hôtel du Parc", 1, "Hospitality", "customer", 85, "6700000"},
	{"Brûlerie Saint-Michel", 1, "Cafés", "partner", 22, "1900000"},
	{"Librairie & Café Molière", 1, "Retail", "prospect", 9, "480000"},
	{"Clínica Núñez", 2, "Health care", "customer", 230, "18400000"},
	{"Cafetería La Peña", 2, "Cafés", "customer", 14, "720000"},
	{"Universidad del Norte", 2, "Education", "prospect", 1900, "141000000"},
	{"Łódzka Kawiarnia", 3, "Cafés", "customer", 18, "510000"},
	{"Wójcik Logistyka", 3, "Logistics", "prospect", 410, "35200000"},
	{"Smørrebrød & Søn", 4, "Restaurants", "customer", 31, "2700000"},
	{"Ærø Færgefart", 4, "Hospitality", "prospect", 160, "14100000"},
	{"Kavárna U Růže", 5, "Cafés", "customer", 11, "390000"},
	{"Dvořák Design", 5, "Offices", "prospect", 38, "2950000"},
	{"Ashworth & Clarke Solicitors", 6, "Offices", "customer", 74, "8800000"},
	{"The Copper Kettle", 6, "Restaurants", "customer", 19, "980000"},
	{"Robertson Guest Houses", 6, "Hospitality", "prospect", 55, "4100000"},
	{"Hudson Robotics", 7, "Software", "prospect", 320, "61000000"},
	{"Blue Door Bakery", 7, "Cafés", "customer", 24, "1650000"},
	{"Lakeview Medical Group", 7, "Health care", "prospect", 870, "123000000"},
	{"Padaria São Bento", 8, "Cafés", "customer", 27, "880000"},
	{"Araújo Eventos", 8, "Events", "prospect", 35, "1400000"},
	{"Kissaten Ōno", 9, "Cafés", "customer", 8, "410000"},
	{"Satō Trading", 9, "Retail", "partner", 66, "9700000"},
	{"Nair Foods", 10, "Restaurants", "prospect", 260, "12800000"},
	{"Bengaluru Workspaces", 10, "Offices", "customer", 120, "7300000"},
	{"Çınar Otel", 11, "Hospitality", "customer", 95, "5200000"},
	{"İzmir Kahve Evi", 11, "Cafés", "supplier", 40, "2100000"},
	{"Hotel Königshof Lübeck", 0, "Hospitality", "customer", 60, "4300000"},
	{"Hotel Königshof München", 0, "Hospitality", "prospect", 110, "8600000"},
}

// parents says which customer belongs to which, by their places in customers.
var parents = map[int]int{30: 0, 31: 0}

// lostReasons are those that a business begins with.
var lostReasons = []string{"Price", "Chose a competitor", "No budget", "No decision", "Bad timing"}

// lostDetails say more of some of them.
var lostDetails = map[string]string{
	"Price": "Ten per cent above the other offer", "Chose a competitor": "A roaster nearby delivers every morning",
}

var nextSteps = []string{
	"Call to agree on a tasting", "Send the revised offer", "Visit the site and measure the bar", "Wait for the board's decision",
	"Introduce the service team",
}

var taskTitles = []string{
	"Follow up on the quote", "Send coffee samples", "Arrange a tasting", "Check the water hardness", "Prepare the contract",
	"Ask for a reference", "Book the service technician", "Confirm the delivery date", "Update the contact details",
	"Invite to the trade fair",
}

var noteTexts = []string{
	"Prefers e-mail to calls. Best reached in the morning.", "They roast for themselves at weekends, so no beans before autumn.",
	"Décision prise par le conseil d'administration, réunion le premier mardi du mois.",
	"Wants oat milk options in every training. Très sympathique.", "The bar is 2.4 m wide: only the Duo fits.",
	"Bezahlt pünktlich, möchte aber eine Rechnung pro Filiale.", "Asked for a discount of 10 % from three machines on.",
	"Their old grinder is leased until the end of next year.", "Met at the trade fair in Milan; loved the Yirgacheffe.",
	"Delivery only before 10 o'clock, entrance in the courtyard.",
}

// conversations are activities: type, direction, subject, outcome, and about how many minutes they took.
var conversations = []struct {
	kind, direction, subject, outcome string
	minutes                           int
}{
	{"call", "outbound", "First call", "Interested", 12},
	{"call", "inbound", "Question about delivery times", "Answered", 6},
	{"call", "outbound", "Follow-up call", "Left a message", 2},
	{"email", "outbound", "Brochure and price list", "", 0},
	{"email", "inbound", "Re: offer", "Asked for changes", 0},
	{"email", "outbound", "Invitation to the tasting", "Accepted", 0},
	{"meeting", "outbound", "Tasting in the showroom", "Very pleased", 75},
	{"meeting", "outbound", "Visit and measurements on site", "Machine chosen", 50},
	{"meeting", "inbound", "Contract talks", "Agreed on most points", 60},
	{"message", "outbound", "Photo of the new machine", "", 0},
	{"message", "inbound", "Machine shows error E7", "Solved by descaling", 0},
	{"other", "outbound", "Samples sent by post", "", 0},
}
