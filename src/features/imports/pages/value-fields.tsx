import { Badge } from '../../../platform/pages/badge.js';
import type { Fields } from '../../../platform/pages/fields.js';
import { TextField } from '../../../platform/pages/form-parts.js';
import { formatStatus, knownStatuses, type RecordMember } from '../../employees/index.js';
import { suggestStatus, suggestStatuses, valuesToMap } from '../status-values.js';
import type { ColumnSurvey } from '../uploads/column-survey.js';
import type { ColumnAssignment } from '../uploads/upload-state.js';

/** The attributes that can have one value for all employees. Employee numbers are never the same. */
function fixedMembers(
  members: readonly RecordMember[],
  assigned: readonly string[],
): readonly RecordMember[] {
  return members.filter(
    ({ name, required }) => required && name !== 'employee_number' && !assigned.includes(name),
  );
}

const statusField = (column: number, index: number) => `status_${column}_${index}`;
const fixedField = (name: string) => `value_${name}`;

/** The values that the form replaces. What it does not show is as suggested. */
export function valuesIn(
  form: Fields,
  {
    attributes,
    survey,
    members,
  }: {
    attributes: readonly string[];
    survey: readonly ColumnSurvey[];
    members: readonly RecordMember[];
  },
): Pick<ColumnAssignment, 'fixedValues' | 'statusValues'> {
  const column = attributes.indexOf('status');
  const values = survey[column]?.values ?? [];
  const suggested = new Map(Object.entries(suggestStatuses(values)));
  const statusValues = valuesToMap(values).flatMap((value, index) => {
    const field = statusField(column, index);
    const status = form.list(field).length > 0 ? form.text(field) : suggested.get(value);
    const known = knownStatuses.find((each) => each === status);
    return known === undefined ? [] : [[value, known] as const];
  });
  const fixedValues = fixedMembers(members, attributes).flatMap(({ name }) => {
    const value = form.text(fixedField(name));
    return value === '' ? [] : [[name, value] as const];
  });
  return { fixedValues: Object.fromEntries(fixedValues), statusValues: Object.fromEntries(statusValues) };
}

interface ValueFieldsProps {
  readonly chosen: ColumnAssignment;
}

/** The status for each value of the status column, unless it has too many. Values without a suggested status are marked. */
export function StatusFields({ survey, chosen }: ValueFieldsProps & { survey: readonly ColumnSurvey[] }) {
  const column = chosen.attributes.indexOf('status');
  const values = valuesToMap(survey[column]?.values ?? []);
  if (values.length === 0) return null;
  const replaced = new Map(Object.entries(chosen.statusValues));
  return (
    <fieldset>
      <legend>Values of the status</legend>
      {values.map((value, index) => (
        <StatusField key={value} id={statusField(column, index)} value={value} chosen={replaced.get(value)} />
      ))}
    </fieldset>
  );
}

function StatusField({ id, value, chosen }: { id: string; value: string; chosen: string | undefined }) {
  const isRecognized = suggestStatus(value) !== undefined;
  const hint = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>
        <bdi>{value}</bdi>
      </label>
      {!isRecognized && (
        <p class="hint" id={hint}>
          <Badge tone="caution">Not recognized</Badge> Choose a status, or keep this one.
        </p>
      )}
      <select id={id} name={id} {...(!isRecognized && { 'aria-describedby': hint })}>
        <option value="keep">{`Keep “${value}”`}</option>
        {knownStatuses.map((status) => (
          <option key={status} value={status} selected={chosen === status}>
            {formatStatus(status)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** One value for all rows, for each required attribute that has no column. */
export function FixedValueFields({
  chosen,
  members,
}: ValueFieldsProps & { members: readonly RecordMember[] }) {
  const missing = fixedMembers(members, chosen.attributes);
  if (missing.length === 0) return null;
  return (
    <fieldset>
      <legend>Values for all rows</legend>
      {missing.map(({ name, label }) => (
        <TextField
          key={name}
          id={fixedField(name)}
          label={label}
          hint="No column is assigned to it. This value is used in every row."
          value={new Map(Object.entries(chosen.fixedValues)).get(name) ?? ''}
          autocomplete="off"
          maxLength={255}
          required={false}
        />
      ))}
    </fieldset>
  );
}
