package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kith-crm/kith/internal/account"
	"github.com/kith-crm/kith/internal/problem"
	"github.com/kith-crm/kith/internal/record"
	"github.com/kith-crm/kith/internal/schema"
	"github.com/kith-crm/kith/internal/store"
	"github.com/kith-crm/kith/internal/store/keep"
	"github.com/kith-crm/kith/internal/store/seal"
)

// Kinds of factors.
const factorAuthenticator, factorPasskey, factorCode = "authenticator", "passkey", "code"

const (
	// recoveryCodes is how many codes a user gets for the day on which nothing else is at hand.
	recoveryCodes = 10
	// recoverySize is 80 bits in base 32, so that a plain hash of them is enough.
	recoverySize = 16
)

// Why a second factor is refused.
var (
	ErrNeedsFactor = errors.New("a second factor is needed")
	ErrWrongFactor = errors.New("the second factor is wrong")
)

// authenticatorData is what an authenticator app is checked by: the secret that it shares, and the step of the code that was used last.
type authenticatorData struct {
	Secret string `json:"secret"`
	Step   int64  `json:"step"`
}

// recoveryData is what a recovery code is checked by.
type recoveryData struct {
	Hash string `json:"hash"`
}

// Factors are what a user has beside their password.
type Factors struct {
	// Authenticator is an app that shows codes, or nil.
	Authenticator *keep.Factor
	// Passkeys are oldest first.
	Passkeys []keep.Factor
	// CodesLeft is how many recovery codes have not been used.
	CodesLeft int
}

// Any tells whether there is one without which the user cannot log in.
func (f Factors) Any() bool { return f.Authenticator != nil || len(f.Passkeys) > 0 }

func sortFactors(all []keep.Factor) (f Factors) {
	for i := range all {
		switch {
		case all[i].Kind == factorAuthenticator:
			f.Authenticator = &all[i]
		case all[i].Kind == factorPasskey:
			f.Passkeys = append(f.Passkeys, all[i])
		case all[i].Kind == factorCode && all[i].UsedAt.IsZero():
			f.CodesLeft++
		}
	}
	return f
}

// Factors lists what a user has beside their password.
func (p *People) Factors(ctx context.Context, t store.Tenant, user schema.UUID) (Factors, error) {
	all, err := keep.Factors(ctx, t, user)
	return sortFactors(all), err
}

// Answer is what somebody gives as their second factor.
type Answer struct {
	// Code is that of an authenticator app, or a recovery code.
	Code string
	// Passkey is what one has signed, in place of a code, or nil.
	Passkey *Signed
}

// NeedsFactor tells whether a user has to show a second factor beside the password.
func (p *People) NeedsFactor(ctx context.Context, t store.Tenant, user schema.UUID) (bool, error) {
	u, err := t.Get(ctx, &record.KindOf("user").Resource, user, false)
	return err == nil && u.Get(account.Users.SecondFactorAt).Set, err
}

// AskFactor gives the proof of a log-in that still needs a second factor, or nothing where the password is enough.
func (p *People) AskFactor(ctx context.Context, id keep.Identity) (proof string, err error) {
	u, err := id.Tenant.Get(ctx, &record.KindOf("user").Resource, id.User, false)
	if err != nil || !u.Get(account.Users.SecondFactorAt).Set {
		return "", err
	}
	return p.Ticket(u.Text(account.Users.Email), []keep.Identity{id})
}

// AskPasskey asks the browser for a passkey of the user, see People.AskPasskey.
func (h *HalfLogin) AskPasskey(ctx context.Context, p *People, origin string) (Challenge, error) {
	return p.AskPasskey(ctx, h.id.Tenant, h.id.User, origin)
}

// HalfLogin is a log-in of which the password was right and the second factor is still to come.
type HalfLogin struct {
	Factors
	id *keep.Identity
}

// Half finds the log-in that a proof is of: ErrWrongLogin where it is none, is over, or the password has changed.
func (p *People) Half(ctx context.Context, proof string) (*HalfLogin, error) {
	_, id, err := p.ticketed(ctx, proof, "")
	if err != nil {
		return nil, err
	}
	factors, err := p.Factors(ctx, id.Tenant, id.User)
	return &HalfLogin{factors, id}, err
}

// FinishLogin takes the second factor of a log-in: ErrWrongFactor can be tried again, with ErrWrongLogin the log-in is over.
func (p *People) FinishLogin(ctx context.Context, proof string, answer Answer, address string) (*Proven, error) {
	half, err := p.Half(ctx, proof)
	if err != nil {
		return nil, err
	}
	id := *half.id
	err = p.proveFactor(ctx, toLogIn, id, answer, address, func(tx *store.Tx) error {
		if err := holdPassword(tx, id.User, id.Password); err != nil {
			return err
		}
		return useOnce(tx, proof, ErrWrongLogin)
	})
	return &Proven{Identity: id, Factor: true}, err
}

// proveFactor checks a second factor, throttled as passwords are, and uses it up together with what it is for, which holds the user.
func (p *People) proveFactor(ctx context.Context, what string, id keep.Identity, answer Answer, address string,
	then func(*store.Tx) error,
) error {
	account := "factor of " + accountOf(id.Tenant, id.User)
	if !p.byAddress.Take(ctx, network(address)) || !p.byAccount.Take(ctx, account) {
		p.failed(ctx, what, "too many attempts at the second factor", address, "", id)
		return ErrTooManyTries
	}
	err := id.Tenant.Keep(ctx, store.Actor{User: id.User}, func(tx *store.Tx) error {
		if err := then(tx); err != nil {
			return err
		}
		all, err := keep.HeldFactors(tx, id.User)
		if err != nil {
			return err
		}
		if answer.Passkey != nil {
			return p.usePasskey(tx, id.User, all, *answer.Passkey)
		}
		return p.useFactor(tx, all, answer.Code)
	})
	switch {
	case errors.Is(err, ErrWrongFactor):
		p.failed(ctx, what, "wrong second factor", address, "", id)
	case err == nil:
		p.byAccount.Forgive(ctx, account)
	}
	return err
}

// useFactor finds the factor that a code is right for, and uses it: a code works once.
func (p *People) useFactor(tx *store.Tx, all []keep.Factor, code string) error {
	code = strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(code))
	for _, f := range all {
		var right bool
		var err error
		switch f.Kind {
		case factorAuthenticator:
			right, err = p.useAuthenticator(tx.Tenant, &f, code)
		case factorCode:
			right, err = useRecovery(&f, code)
		}
		if err != nil {
			return fmt.Errorf("read a factor: %w", err)
		}
		if right {
			return keep.UseFactor(tx, f)
		}
	}
	return ErrWrongFactor
}

func (p *People) useAuthenticator(t store.Tenant, f *keep.Factor, code string) (bool, error) {
	if len(code) != totpDigits {
		return false, nil
	}
	var data authenticatorData
	if err := json.Unmarshal([]byte(f.Data), &data); err != nil {
		return false, err
	}
	shared, err := t.Unseal(keep.AuthenticatorUse(f.User), data.Secret)
	if errors.Is(err, seal.ErrOtherKey) {
		p.log.Error("an authenticator app cannot be checked", "user", schema.FormatID("user", f.User), "error", err)
		return false, nil // what else the user has may still be right
	}
	if err != nil {
		return false, err
	}
	secret, err := base32Plain.DecodeString(shared)
	if err != nil {
		return false, err
	}
	step, ok := totpStep(secret, code, p.now(), data.Step)
	if !ok {
		return false, nil
	}
	if data.Step = step; !t.Sealed(data.Secret) {
		data.Secret = t.Seal(keep.AuthenticatorUse(f.User), shared)
	}
	f.Data = written(data)
	return true, nil
}

func useRecovery(f *keep.Factor, code string) (bool, error) {
	if len(code) != recoverySize || !f.UsedAt.IsZero() {
		return false, nil
	}
	var data recoveryData
	if err := json.Unmarshal([]byte(f.Data), &data); err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare([]byte(data.Hash), []byte(recoveryHash(code))) == 1, nil
}

func recoveryHash(code string) string {
	sum := sha256.Sum256([]byte("recovery code " + code))
	return hex.EncodeToString(sum[:])
}

// AddAuthenticator sets up an authenticator app for who is logged in, once a code shows that it works: ErrWrongFactor where it does
// not. It gives recovery codes where the user had no second factor before.
func (p *People) AddAuthenticator(ctx context.Context, who *record.Principal, session schema.UUID, secret, code,
	address string,
) (codes []string, err error) {
	account := "factor of " + accountOf(who.Tenant, who.User)
	id := keep.Identity{Tenant: who.Tenant, User: who.User}
	if !p.byAddress.Take(ctx, network(address)) || !p.byAccount.Take(ctx, account) {
		p.failed(ctx, "new authenticator app", "too many attempts", address, "", id)
		return nil, ErrTooManyTries
	}
	data := written(authenticatorData{Secret: who.Tenant.Seal(keep.AuthenticatorUse(who.User), secret)})
	f := keep.Factor{User: who.User, Kind: factorAuthenticator, Data: data}
	right, err := p.useAuthenticator(who.Tenant, &f, strings.ReplaceAll(code, " ", ""))
	if err == nil && !right {
		err = ErrWrongFactor
	}
	if err != nil {
		return nil, err
	}
	p.byAccount.Forgive(ctx, account)
	return p.add(ctx, who, session, f, func(had Factors) error {
		if had.Authenticator != nil {
			return problem.New(problem.Conflict, "You have an authenticator app already; remove that one first.")
		}
		return nil
	})
}

// heldFactors gives the factors of a user who is active, and holds them as they are until the transaction is over.
func heldFactors(tx *store.Tx, user schema.UUID) ([]keep.Factor, error) {
	if err := holdActive(tx, user); err != nil {
		return nil, err
	}
	return keep.HeldFactors(tx, user)
}

// add keeps a new factor, where what they have lets it. The first one brings recovery codes, and ends log-ins begun without it.
func (p *People) add(ctx context.Context, who *record.Principal, session schema.UUID, f keep.Factor,
	may func(had Factors) error,
) (codes []string, err error) {
	err = who.Tenant.Write(ctx, who.Actor(requestNumber(ctx)), func(tx *store.Tx) error {
		codes = nil
		all, err := heldFactors(tx, who.User)
		if err != nil {
			return err
		}
		had := sortFactors(all)
		if err := may(had); err != nil {
			return err
		}
		f.ID = tx.NewID()
		if err := keep.PutFactor(tx, f); err != nil || had.Any() {
			return err
		}
		if codes, err = putCodes(tx, who.User); err != nil {
			return err
		}
		if err := keep.EndSessions(tx, record.SessionCookie, who.User, session); err != nil {
			return err
		}
		if err := keep.DropSecrets(tx, record.LoginTicket, who.User); err != nil {
			return err
		}
		return SetSecondFactor(p.engine, tx, who.User, true)
	})
	if err != nil {
		return nil, err
	}
	p.tellOfFactor(ctx, who.Tenant, who.User, "A second factor was added to your log-in ("+factorWords[f.Kind]+").",
		"second factor added", f.Kind)
	return codes, nil
}

var factorWords = map[string]string{factorAuthenticator: "an authenticator app", factorPasskey: "a passkey", factorCode: "recovery codes"}

// putCodes replaces a user's recovery codes.
func putCodes(tx *store.Tx, user schema.UUID) (codes []string, err error) {
	if err := keep.DropFactorsOf(tx, user, factorCode); err != nil {
		return nil, err
	}
	for range recoveryCodes {
		code := rand.Text()[:recoverySize]
		data := written(recoveryData{recoveryHash(code)})
		if err := keep.PutFactor(tx, keep.Factor{ID: tx.NewID(), User: user, Kind: factorCode, Data: data}); err != nil {
			return nil, err
		}
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:12]+"-"+code[12:])
	}
	return codes, nil
}

// NewCodes replaces the recovery codes of who is logged in. Who has no second factor has none.
func (p *People) NewCodes(ctx context.Context, who *record.Principal) (codes []string, err error) {
	err = who.Tenant.Keep(ctx, who.Actor(requestNumber(ctx)), func(tx *store.Tx) error {
		codes = nil
		all, err := heldFactors(tx, who.User)
		if err != nil || !sortFactors(all).Any() {
			return err
		}
		codes, err = putCodes(tx, who.User)
		return err
	})
	if err == nil && codes != nil {
		p.tellOfFactor(ctx, who.Tenant, who.User, "New recovery codes were made for your log-in. Those from before do not work any more.",
			"recovery codes made", factorCode)
	}
	return codes, err
}

// RemoveFactor takes a factor of who is logged in away. With the last one the recovery codes go, and the password alone is enough again.
func (p *People) RemoveFactor(ctx context.Context, who *record.Principal, id schema.UUID) error {
	removed := keep.Factor{}
	err := who.Tenant.Write(ctx, who.Actor(requestNumber(ctx)), func(tx *store.Tx) error {
		removed = keep.Factor{}
		all, err := heldFactors(tx, who.User)
		at := slices.IndexFunc(all, func(f keep.Factor) bool { return f.ID == id && f.Kind != factorCode })
		if err != nil || at < 0 {
			return err
		}
		if removed = all[at]; !sortFactors(slices.Delete(all, at, at+1)).Any() {
			return p.dropFactors(tx, who.User)
		}
		_, err = keep.DropFactor(tx, who.User, id)
		return err
	})
	if err == nil && removed.ID == id {
		p.tellOfFactor(ctx, who.Tenant, who.User, "A second factor was removed from your log-in ("+factorWords[removed.Kind]+").",
			"second factor removed", removed.Kind)
	}
	return err
}

// TakeAwayFactors takes all factors of a user away who has lost them, on behalf of somebody in charge: the password alone is enough
// again. It ends all log-ins of the user, because who has their things may be logged in. It reports whether there were any.
func (p *People) TakeAwayFactors(ctx context.Context, by store.Actor, t store.Tenant, user schema.UUID) (had bool, err error) {
	err = t.Write(ctx, by, func(tx *store.Tx) error {
		if _, err := tx.Get(&record.KindOf("user").Resource, user, false); err != nil {
			return err
		}
		all, err := keep.HeldFactors(tx, user)
		if had = len(all) > 0; err != nil || !had {
			return err
		}
		if err := keep.EndSessions(tx, record.SessionCookie, user, schema.UUID{}); err != nil {
			return err
		}
		return p.dropFactors(tx, user)
	})
	if err == nil && had {
		p.tellOfFactor(ctx, t, user, "Your second factor was taken away, and all your log-ins have ended. The password alone is enough "+
			"to log in until you set up another one.", "second factors taken away", "all", "by", schema.FormatID("user", by.User))
	}
	return had, err
}

func (p *People) dropFactors(tx *store.Tx, user schema.UUID) error {
	if err := keep.DropFactors(tx, user); err != nil {
		return err
	}
	return SetSecondFactor(p.engine, tx, user, false)
}

// tellOfFactor logs what became of a factor, and tells the user: it could be somebody else who did it.
func (p *People) tellOfFactor(ctx context.Context, t store.Tenant, user schema.UUID, sentence, event, kind string, more ...any) {
	p.log.Info(event, append([]any{"user", schema.FormatID("user", user), "kind", kind, "request_id", requestNumber(ctx)}, more...)...)
	if p.mail == nil {
		return
	}
	u, err := t.Get(ctx, &record.KindOf("user").Resource, user, false)
	if err == nil {
		err = p.inform(u.Text(account.Users.Email), "Your log-in to kith has changed",
			sentence+"\n\nIf it was not you, choose a new password and tell your administrator.\n")
	}
	if err != nil {
		p.log.Error("change of a factor", "error", err) // it has changed all the same
	}
}

// Confirmation is what somebody gives to show that it is still them.
type Confirmation struct {
	// Password is not needed with a passkey, which is two factors in one.
	Password string
	// Factor is needed where the user has one.
	Factor Answer
}

// Confirm lets the person of a session show that it is still them by giving their password, and their second factor where they have
// one, or a passkey alone: ErrWrongLogin and ErrWrongFactor where it is not theirs, ErrTooManyTries where it was tried too often.
func (p *People) Confirm(ctx context.Context, who *record.Principal, session schema.UUID, given Confirmation, address string) error {
	id := keep.Identity{Tenant: who.Tenant, User: who.User}
	needs, err := p.NeedsFactor(ctx, who.Tenant, who.User)
	if err != nil {
		return err
	}
	if given.Factor.Passkey != nil {
		return p.proveFactor(ctx, toConfirm, id, given.Factor, address, func(tx *store.Tx) error {
			if err := holdActive(tx, who.User); err != nil {
				return err
			}
			return keep.ConfirmSession(tx, who.User, session)
		})
	}
	if id.Password, err = p.prove(ctx, toConfirm, who.Tenant, who.User, given.Password, address); err != nil {
		return err
	}
	confirm := func(tx *store.Tx) error {
		if err := holdPassword(tx, who.User, id.Password); err != nil {
			return err
		}
		return keep.ConfirmSession(tx, who.User, session)
	}
	if needs {
		return p.proveFactor(ctx, toConfirm, id, given.Factor, address, confirm)
	}
	return who.Tenant.Keep(ctx, who.Actor(""), confirm)
}
