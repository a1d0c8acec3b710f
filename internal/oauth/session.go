package oauth

import (
	"context"
	"errors"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
)

// Proven is a user who has shown who they are: by the password in it, by a passkey, or to the identity provider of their business.
type Proven struct {
	keep.Identity
	// Factor tells that they have shown a second factor, and ByPasskey and ByProvider that no password was needed.
	Factor, ByPasskey, ByProvider bool
}

// StartSession logs a user in who has shown who they are, and gives the cookie. It is always a new one, so that a cookie planted
// before means nothing. The password must still be the user's: a session that begins beside a change of password would outlive it.
// Who has a second factor by now and has not shown it gets ErrNeedsFactor, and who has to come by the identity provider
// ErrByProvider: this is where it is decided, whatever the pages ask before.
func (p *People) StartSession(ctx context.Context, id Proven, agent, address string) (string, error) {
	cookie, hash := record.NewSecret(record.SessionCookie, id.Tenant.ID())
	agent, address = brief(agent), brief(address)
	if err := p.mayCome(ctx, id); err != nil {
		return "", err
	}
	data := ""
	if id.ByProvider {
		data = written(sessionData{id.ByProvider})
	}
	err := id.Tenant.Keep(ctx, from(ctx, store.Actor{User: id.User}), func(tx *store.Tx) error {
		err := holdActive(tx, id.User)
		if !id.ByPasskey && !id.ByProvider {
			err = holdPassword(tx, id.User, id.Password)
		}
		if err != nil {
			return err
		}
		u, err := tx.Peek(p.store.Registry().Resource("user"), id.User)
		if err != nil {
			return err
		}
		if u.Get(account.Users.SecondFactorAt).Set && !id.Factor {
			return ErrNeedsFactor
		}
		tx.Audit(record.AuditOf(record.LogInSucceeded, id.User))
		s := keep.Session{ID: schema.NewID(tx.Now), User: id.User, Agent: agent, Address: address}
		if err := keep.PutSession(tx, s); err != nil {
			return err
		}
		return keep.PutCredential(tx, hash, keep.Credential{
			Kind: record.SessionCookie, User: id.User, Parent: s.ID,
			ExpiresAt: tx.Now.Add(SessionLife), Data: data,
		})
	})
	if errors.Is(err, ErrWrongLogin) {
		p.failed(ctx, toLogIn, "the password changed, or the user was suspended, just now", address, "", id.Identity)
	}
	if err == nil {
		p.log.Info("log-in", "user", schema.FormatID("user", id.User), "address", address, "request_id", requestNumber(ctx))
	}
	return cookie, err
}
