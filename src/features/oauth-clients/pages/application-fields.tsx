import type { ComponentChildren } from 'preact';
import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';

/** A field with a URI on each line. */
export function UriField({
  id,
  label,
  uris,
  children,
}: {
  id: string;
  label: string;
  uris: readonly string[];
  /** The hint. */
  children: ComponentChildren;
}) {
  const hint = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <p class="hint" id={hint}>
        {children}
      </p>
      <FieldError field={id} />
      <textarea
        class="code"
        id={id}
        name={id}
        rows={Math.min(Math.max(uris.length + 1, 3), 21)}
        placeholder="https://"
        autocomplete="off"
        spellcheck={false}
        {...useDescription(id, hint)}
      >
        {uris.join('\n')}
      </textarea>
    </div>
  );
}
