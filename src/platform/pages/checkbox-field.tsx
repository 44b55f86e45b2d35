import type { ComponentChildren } from 'preact';
import { FieldError, useDescription } from './form-parts.js';

/** A setting that is on or off. */
export function CheckboxField({
  id,
  title,
  label,
  checked,
  children,
}: {
  id: string;
  title: string;
  label: string;
  checked: boolean;
  /** The hint. */
  children: ComponentChildren;
}) {
  const hint = `${id}-hint`;
  return (
    <fieldset {...useDescription(id, hint)}>
      <legend>{title}</legend>
      <p class="hint" id={hint}>
        {children}
      </p>
      <FieldError field={id} />
      <label class="choice">
        <input type="checkbox" id={id} name={id} value="yes" checked={checked} />
        <span>{label}</span>
      </label>
    </fieldset>
  );
}
