import { restrictableAttributes } from '../../../platform/contract/employee-attributes.js';
import { CodeChoices, FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import { attributeLabel } from '../employee-attributes.js';

/** Name of the checkboxes, and `id` of the field. */
export const attributesField = 'attributes';

const hint = `${attributesField}-hint`;

/** A checkbox for each attribute that an application can be without. */
export function AttributeChoices({ selected }: { selected: readonly string[] }) {
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
    </fieldset>
  );
}
