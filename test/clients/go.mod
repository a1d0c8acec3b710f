module github.com/kith-crm/kith/test/clients

go 1.26.0

replace github.com/kith-crm/kith => ../..

require (
	github.com/jackc/pgx/v5 v5.11.0
	github.com/kith-crm/kith v0.0.0
	golang.org/x/oauth2 v0.37.0
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	golang.org/x/text v0.43.0 // indirect
)
