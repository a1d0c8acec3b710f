package record

import "github.com/kith-crm/kith/internal/store"

// indexedReferences is the migration that brings the table by which references of added fields are found.
const indexedReferences = 21

// fillReferences has that migration fill the table in each business that is there already.
func fillReferences() {
	store.InEveryBusiness(indexedReferences, func(tx *store.Tx) error {
		fields, err := tx.Find(&Field.Resource, mostDefinitions())
		if err != nil || len(fields) == 0 {
			return err
		}
		shapes, err := newShapes(1, fields)
		if err != nil {
			return err
		}
		for _, res := range shapes.resources {
			if err := store.FillAddedReferences(tx, res); err != nil {
				return err
			}
		}
		return nil
	})
}
