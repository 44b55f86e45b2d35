import type { ComponentChildren } from 'preact';
import { restrictableAttributes } from '../../../platform/contract/employee-attributes.js';
import { CodeChoices, FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { attributeLabel } from '../employee-attributes.js';

/** Name of the checkboxes, and `id` of the field. */
export const attributesField = 'attributes';

const hint = `${attributesField}-hint`;

/** Labels of the attributes of the contract and of custom ones. A name of neither is its own label. */
export function attributeLabels(
  custom: readonly CustomAttribute[],
): (name: string) => NonNullable<ComponentChildren> {
  const labels = new Map(custom.map(({ name, label }) => [name, label]));
  return (name) => {
    const label = labels.get(name);
    return label === undefined ? attributeLabel(name) : <bdi>{label}</bdi>;
  };
}

/** A checkbox for each attribute that an application can be without. Archived custom attributes have none. */
export function AttributeChoices({
  selected,
  custom,
}: {
  selected: readonly string[];
  custom: readonly CustomAttribute[];
}) {
  const labelOf = attributeLabels(custom);
  const active = custom.filter(({ archivedAt }) => archivedAt === null);
  const sensitive = active.filter((attribute) => attribute.sensitive).map(({ name }) => name);
  return (
    <fieldset id={attributesField} tabIndex={-1} {...useDescription(attributesField, hint)}>
      <legend>Attributes of employees that it may read</legend>
      <p class="hint" id={hint}>
        With access to employees, the application can always read their employee number, names, e-mail
        address, status and department. At first, nothing else is selected. Select only what it needs.
      </p>
      <FieldError field={attributesField} />
      <CodeChoices
        name={attributesField}
        codes={restrictableAttributes}
        selected={selected}
        labelOf={attributeLabel}
      />
      {active.length > 0 && (
        <fieldset class="choice-group">
          <legend>Custom attributes</legend>
          <div class="choice-columns">
            <CodeChoices
              name={attributesField}
              codes={active.map(({ name }) => name)}
              selected={selected}
              labelOf={(name) => (
                <>
                  {labelOf(name)}
                  {sensitive.includes(name) && ' (sensitive)'}
                </>
              )}
            />
          </div>
        </fieldset>
      )}
    </fieldset>
  );
}
