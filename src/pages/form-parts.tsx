import type { ComponentChildren } from 'preact';

/** What is wrong with a form, and the field that puts it right. */
export interface FormFault {
  /** `id` of the field. */
  readonly field: string;
  readonly words: string;
}

/** `id` of the words that explain what is wrong with a field. */
export function faultId(field: string): string {
  return `${field}-fault`;
}

/** Attributes of a field that tell assistive technology of its hint and of what is wrong with it. */
export function describedBy(field: string, { fault, hint }: { fault: boolean; hint?: string | undefined }) {
  const ids = [...(hint === undefined ? [] : [hint]), ...(fault ? [faultId(field)] : [])];
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(fault && { 'aria-invalid': true }),
  } as const;
}

/** The words beside a field. */
export function FieldFault({ field, words }: { field: string; words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p id={faultId(field)} class="fault">
      {words}
    </p>
  );
}

/** Everything that is wrong with a form, above it, with the way to each field. It has the focus when it is shown. */
export function ErrorSummary({ faults }: { faults: readonly FormFault[] }) {
  if (faults.length === 0) return null;
  return (
    <div class="error-summary" role="alert" aria-labelledby="error-summary-title" tabIndex={-1} autofocus>
      <h2 id="error-summary-title">There is a problem</h2>
      <ul>
        {faults.map(({ field, words }) => (
          <li key={field}>
            <a href={`#${field}`}>{words}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Names and values, in two columns. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
