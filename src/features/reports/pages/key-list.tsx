import type { ComponentChildren } from 'preact';
import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import { buttons, type ListName, reportFieldIds } from './report-form.js';

/** Keys with a field of their own. The others are together in one, so that the form stays short. */
const separateKeys = 13;

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Whether few people need it, so that it is below the others. */
  readonly isTechnical?: boolean;
}

/** An ordered list of keys: each can be moved and removed, and others can be added. */
export function KeyList({
  list,
  legend,
  hint,
  noun,
  next,
  className,
  values,
  choices,
  label,
  maximum,
  separate = separateKeys,
  focus,
}: {
  list: ListName;
  legend: string;
  hint: ComponentChildren;
  /** What an entry is, within a sentence. */
  noun: string;
  /** What precedes the second entry and those after it. */
  next?: string;
  className?: string;
  values: readonly string[];
  /** The keys that can be added. */
  choices: readonly Choice[];
  label: (value: string) => string;
  maximum: number;
  /** Number of keys with a field of their own. */
  separate?: number;
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
              lead={index > 0 ? next : undefined}
              position={index + 1}
              isLast={index === values.length - 1}
              hasField={index < separate}
            />
          ))}
        </ol>
      )}
      {values.length > separate && (
        <input
          type="hidden"
          name={reportFieldIds.item(list, separate + 1)}
          value={values.slice(separate).join(',')}
        />
      )}
      <AddEntry {...{ list, noun, choices, focus }} label={`Add ${noun}`} isFull={values.length >= maximum} />
    </fieldset>
  );
}

/** The field for the next entry of a list, and its button. A full list has only the place for its error. */
export function AddEntry({
  list,
  noun,
  label,
  choices,
  isFull,
  focus,
}: {
  list: ListName | 'filter';
  /** What an entry is, within a sentence. */
  noun: string;
  label: string;
  choices: readonly Choice[];
  isFull: boolean;
  focus: string | undefined;
}) {
  const id = reportFieldIds.next(list);
  if (isFull) {
    return (
      <div id={id} tabIndex={-1}>
        <FieldError field={id} />
      </div>
    );
  }
  return (
    <div class="adding">
      <SelectField {...{ id, label, choices, focus }} value="" empty="Choose" />
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
  );
}

/** The button that removes an entry of a list. */
export function RemoveButton({
  list,
  position,
  name,
}: {
  list: ListName | 'filter';
  position: number;
  /** What is removed. */
  name: string;
}) {
  return (
    <button
      type="submit"
      name="do"
      value={buttons.remove(list, position)}
      class="quiet"
      aria-label={`Remove ${name}`}
    >
      <span aria-hidden="true">×</span>
    </button>
  );
}

function Key({
  list,
  value,
  label,
  lead,
  position,
  isLast,
  hasField,
  focus,
}: {
  list: ListName;
  value: string;
  label: string;
  /** What precedes the label. */
  lead: string | undefined;
  position: number;
  isLast: boolean;
  hasField: boolean;
  focus: string | undefined;
}) {
  const id = reportFieldIds.item(list, position);
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
      {hasField && <input type="hidden" name={id} value={value} />}
      <span class="key">
        {lead !== undefined && `${lead} `}
        {label}
      </span>
      {position > 1 && move('up')}
      {!isLast && move('down')}
      <RemoveButton {...{ list, position }} name={label} />
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
  label: ComponentChildren;
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
  const technical = choices.filter(({ isTechnical }) => isTechnical);
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
        <Options choices={choices.filter(({ isTechnical }) => !isTechnical)} value={value} />
        {technical.length > 0 && (
          <optgroup label="Technical">
            <Options choices={technical} value={value} />
          </optgroup>
        )}
      </select>
    </div>
  );
}

function Options({ choices, value }: { choices: readonly Choice[]; value: string }) {
  return (
    <>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} selected={choice.value === value}>
          {choice.label}
        </option>
      ))}
    </>
  );
}
