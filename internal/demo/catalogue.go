package demo

// item is a product of the demo business.
type item struct {
	sku, name, category, price, cost, unit, billing, status string
	tax                                                     float64
	about                                                   string
	// leaves is how many days ago the product was archived, or deleted when gone is set; 0 is never.
	leaves int
	gone   bool
	id     string
}

var catalogue = []item{
	{
		sku: "ESP-100", name: "Aurora One espresso machine", category: "Machines", price: "2450.00", cost: "1610.00", unit: "piece",
		tax: 19, about: "One group, rotary pump, 4-litre boiler.",
	},
	{
		sku: "ESP-200", name: "Aurora Duo espresso machine", category: "Machines", price: "6890.00", cost: "4480.00", unit: "piece",
		tax: 19, about: "Two groups, dual boiler, for up to 300 cups a day.",
	},
	{
		sku: "ESP-300", name: "Aurora Trio espresso machine", category: "Machines", price: "11250.50", cost: "7310.00", unit: "piece",
		tax: 19, about: "Three groups for busy bars.",
	},
	{
		sku: "ESP-050", name: "Aurora Mini espresso machine", category: "Machines", price: "1190.00", cost: "790.00", unit: "piece",
		tax: 19, about: "The predecessor of Aurora One.", leaves: 100,
	},
	{
		sku: "GRD-010", name: "Mahlwerk 64 grinder", category: "Grinders", price: "890.00", cost: "520.00", unit: "piece", tax: 19,
		about: "64 mm flat burrs.",
	},
	{
		sku: "GRD-020", name: "Mahlwerk 83 on-demand grinder", category: "Grinders", price: "1749.00", cost: "1090.00", unit: "piece",
		tax: 19, about: "83 mm burrs, doses by weight.",
	},
	{
		sku: "BRW-001", name: "Batch brewer 2 × 5 l", category: "Brewers", price: "1320.00", cost: "845.00", unit: "piece", tax: 19,
		about: "For conferences and breakfast rooms.",
	},
	{
		sku: "BNS-ETH", name: "Yirgacheffe beans, filter roast", category: "Beans", price: "21.9000", cost: "11.2500", unit: "kg", tax: 7,
		about: "Floral, light roast, washed.",
	},
	{
		sku: "BNS-BRA", name: "São João beans, espresso roast", category: "Beans", price: "16.4500", cost: "8.1000", unit: "kg", tax: 7,
		about: "Chocolate and nuts, medium roast.",
	},
	{
		sku: "BNS-DEC", name: "Décaféiné maison beans", category: "Beans", price: "19.9500", cost: "10.6000", unit: "kg", tax: 7,
		about: "Decaffeinated with mountain water.",
	},
	{
		sku: "SUB-OFF", name: "Office subscription, 10 kg a month", category: "Subscriptions", price: "159.00", cost: "84.00",
		unit: "month", billing: "monthly", tax: 7, about: "Fresh beans every month, cancel any time.",
	},
	{
		sku: "SUB-HOT", name: "Hotel subscription, 40 kg a month", category: "Subscriptions", price: "579.00", cost: "322.00",
		unit: "month", billing: "monthly", tax: 7, about: "Beans for breakfast and bar.",
	},
	{
		sku: "SRV-BAS", name: "Service contract Basic", category: "Service", price: "390.00", cost: "150.00", unit: "year",
		billing: "yearly", tax: 19, about: "One inspection a year, parts not included.",
	},
	{
		sku: "SRV-PRO", name: "Service contract Pro", category: "Service", price: "1190.00", cost: "480.00", unit: "year",
		billing: "yearly", tax: 19, about: "Repair within 24 hours, parts included.",
	},
	{
		sku: "TRN-BAR", name: "Barista training, one day", category: "Training", price: "680.00", cost: "210.00", unit: "day", tax: 19,
		about: "Up to six people, at your place.",
	},
	{
		sku: "TRN-LAT", name: "Latte art workshop", category: "Training", price: "420.00", cost: "130.00", unit: "half day", tax: 19,
		about: "Four people, milk included.", leaves: 80, gone: true,
	},
	{
		sku: "ACC-CUP", name: "Porcelain cups, set of 12", category: "Accessories", price: "96.00", cost: "41.00", unit: "set", tax: 19,
		about: "190 ml, stackable.",
	},
	{
		sku: "ACC-FLT", name: "Water filter cartridge", category: "Accessories", price: "64.9900", cost: "28.0000", unit: "piece", tax: 19,
		about: "Lasts about 4,000 litres.",
	},
	{
		sku: "ESP-400", name: "Aurora Quattro espresso machine", category: "Machines", price: "15900.00", cost: "10200.00", unit: "piece",
		status: "draft", tax: 19, about: "Announced for next year.",
	},
}

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

var lostReasons = []string{"Price", "Chose a competitor", "No budget this year", "No decision", "Bad timing"}

var nextSteps = []string{
	"Call to agree on a tasting", "Send the revised offer", "Visit the site and measure the bar",
	"Wait for the board's decision", "Introduce the service team",
}

var taskTitles = []string{
	"Follow up on the quote", "Send coffee samples", "Arrange a tasting", "Check the water hardness", "Prepare the contract",
	"Ask for a reference",
	"Book the service technician", "Confirm the delivery date", "Update the contact details", "Invite to the trade fair",
}

var noteTexts = []string{
	"Prefers e-mail to calls. Best reached in the morning.",
	"They roast for themselves at weekends, so no beans before autumn.",
	"Décision prise par le conseil d'administration, réunion le premier mardi du mois.",
	"Wants oat milk options in every training. Très sympathique.",
	"The bar is 2.4 m wide: only the Duo fits.",
	"Bezahlt pünktlich, möchte aber eine Rechnung pro Filiale.",
	"Asked for a discount of 10 % from three machines on.",
	"Their old grinder is leased until the end of next year.",
	"Met at the trade fair in Milan; loved the Yirgacheffe.",
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
