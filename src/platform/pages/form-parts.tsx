import type { ComponentChildren } from 'preact';

/** An error of a form, and the field that it belongs to. */
export interface FormError {
  /** `id` of the field. */
  readonly field: string;
  readonly message: string;
}

/** `id` of the error message of a field. */
export function errorId(field: string): string {
  return `${field}-error`;
}

/** ARIA attributes that link a field with its hint and its error message. */
export function describedBy(field: string, { error, hint }: { error: boolean; hint?: string | undefined }) {
  const ids = [...(hint === undefined ? [] : [hint]), ...(error ? [errorId(field)] : [])];
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(error && { 'aria-invalid': true }),
  } as const;
}

/** Error message of a field. */
export function FieldError({ field, message }: { field: string; message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p id={errorId(field)} class="field-error">
      {message}
    </p>
  );
}

/** All errors of a form, with a link to each field. It has the focus when the page loads. */
export function ErrorSummary({ errors }: { errors: readonly FormError[] }) {
  if (errors.length === 0) return null;
  return (
    <div class="error-summary" role="alert" aria-labelledby="error-summary-title" tabIndex={-1} autofocus>
      <h2 id="error-summary-title">There is a problem</h2>
      <ul>
        {errors.map(({ field, message }) => (
          <li key={field}>
            <a href={`#${field}`}>{message}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** List of names and values in two columns. */
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
