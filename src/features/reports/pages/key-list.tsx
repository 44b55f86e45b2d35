import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import { buttons, fieldIds, type ListName } from './report-form.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** An ordered list of keys: each can be moved and removed, and others can be added. */
export function KeyList({
  list,
  legend,
  hint,
  noun,
  className,
  values,
  choices,
  label,
  maximum,
  focus,
}: {
  list: ListName;
  legend: string;
  hint: string;
  /** What an entry is, within a sentence. */
  noun: string;
  className?: string;
  values: readonly string[];
  /** The keys that can be added. */
  choices: readonly Choice[];
  label: (value: string) => string;
  maximum: number;
  /** `id` of the element of the page that has the focus. */
  focus: string | undefined;
}) {
  const hintId = `${list}-hint`;
  return (
    <fieldset aria-describedby={hintId} {...(className !== undefined && { class: className })}>
      <legend>{legend}</legend>
      <p class="hint" id={hintId}>
        {hint}
      </p>
      {values.length > 0 && (
        <ol class="keys">
          {values.map((value, index) => (
            <Key
              key={value}
              {...{ list, value, focus }}
              label={label(value)}
              position={index + 1}
              isLast={index === values.length - 1}
            />
          ))}
        </ol>
      )}
      {values.length >= maximum ? (
        <ListError field={fieldIds.next(list)} />
      ) : (
        <div class="adding">
          <SelectField
            id={fieldIds.next(list)}
            label={`Add ${noun}`}
            value=""
            choices={choices}
            empty="Choose"
            focus={focus}
          />
          <button
            type="submit"
            name="do"
            value={buttons.add(list)}
            class="secondary"
            aria-label={`Add the ${noun}`}
          >
            Add
          </button>
        </div>
      )}
    </fieldset>
  );
}

/** Where the error of a list is shown to which nothing can be added. */
export function ListError({ field }: { field: string }) {
  return (
    <div id={field} tabIndex={-1}>
      <FieldError field={field} />
    </div>
  );
}

function Key({
  list,
  value,
  label,
  position,
  isLast,
  focus,
}: {
  list: ListName;
  value: string;
  label: string;
  position: number;
  isLast: boolean;
  focus: string | undefined;
}) {
  const id = fieldIds.item(list, position);
  const move = (direction: 'up' | 'down') => {
    const action = buttons[direction](list, position);
    return (
      <button
        type="submit"
        name="do"
        id={action}
        value={action}
        class="quiet"
        aria-label={`Move ${label} ${direction}`}
        autofocus={focus === action}
      >
        <span aria-hidden="true">{direction === 'up' ? '↑' : '↓'}</span>
      </button>
    );
  };
  return (
    <li id={id} tabIndex={-1} {...useDescription(id)}>
      <FieldError field={id} />
      <input type="hidden" name={id} value={value} />
      <span class="key">{label}</span>
      {position > 1 && move('up')}
      {!isLast && move('down')}
      <button
        type="submit"
        name="do"
        value={buttons.remove(list, position)}
        class="quiet"
        aria-label={`Remove ${label}`}
      >
        <span aria-hidden="true">×</span>
      </button>
    </li>
  );
}

/** A field for one of several values. A value that is none of them stays in the form. */
export function SelectField({
  id,
  label,
  hiddenLabel = false,
  value,
  choices,
  empty,
  focus,
}: {
  id: string;
  label: string;
  /** Whether only screen readers have the label. */
  hiddenLabel?: boolean;
  value: string;
  choices: readonly Choice[];
  /** Text of the choice without a value; absent: there is none. */
  empty?: string;
  /** `id` of the element of the page that has the focus. */
  focus?: string | undefined;
}) {
  const unknown = value !== '' && choices.every((choice) => choice.value !== value);
  return (
    <div class="field">
      <label for={id} {...(hiddenLabel && { class: 'unseen' })}>
        {label}
      </label>
      <FieldError field={id} />
      <select id={id} name={id} autofocus={focus === id} {...useDescription(id)}>
        {empty !== undefined && <option value="">{empty}</option>}
        {unknown && (
          <option value={value} selected>
            {value}
          </option>
        )}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
