import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '../accounts/user.js';
import { csrfField } from '../http/browser-sessions.js';

export interface FormError {
  /** `id` of the field. */
  readonly field: string;
  readonly message: string;
}

/** What the forms of a page have in common. */
export interface FormState {
  readonly csrfToken: string;
  /** Path of the page, to which forms are submitted by default. */
  readonly path: string;
  readonly errors?: readonly FormError[] | undefined;
}

/** The state of the forms below. The frame of a page provides it. */
export const FormContext = createContext<FormState>({ csrfToken: '', path: '' });

/** Hidden fields of the form of a page, with the values that it was opened with. */
export const OpenedFields = createContext<HiddenFields>([]);

function useError(field: string): string | undefined {
  const { errors = [] } = useContext(FormContext);
  return errors.flatMap((error) => (error.field === field ? [error.message] : [])).join(' ') || undefined;
}

function errorId(field: string): string {
  return `${field}-error`;
}

/** ARIA attributes that link a field with its hint and its error message. */
export function useDescription(field: string, hint?: string) {
  const hasError = useError(field) !== undefined;
  const ids = [...(hint === undefined ? [] : [hint]), ...(hasError ? [errorId(field)] : [])];
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(hasError && { 'aria-invalid': true }),
  } as const;
}

export function FieldError({ field }: { field: string }) {
  const message = useError(field);
  if (message === undefined) return null;
  return (
    <p id={errorId(field)} class="field-error">
      {message}
    </p>
  );
}

/** All errors of a form, with a link to each field. It has the focus when the page loads. */
export function ErrorSummary() {
  const { errors = [] } = useContext(FormContext);
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

export type HiddenFields = readonly (readonly [string, string])[];

/** The CSRF token and other hidden fields of a form. */
export function Hidden({ fields }: { fields: HiddenFields }) {
  return (
    <>
      <CsrfField />
      {fields.map(([name, value], index) => (
        <input key={index} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** Hidden field with the CSRF token, which every form needs. */
export function CsrfField({ token }: { token?: string }) {
  const { csrfToken } = useContext(FormContext);
  return <input type="hidden" name={csrfField} value={token ?? csrfToken} />;
}

/** A form with fields, and its buttons below them. */
export function Form({
  action,
  className = 'fields',
  validated = false,
  hidden = [],
  button,
  danger = false,
  more,
  cancel,
  children,
}: {
  /** Default: the path of the page. */
  action?: string | undefined;
  className?: string | null;
  /** Whether the browser checks the fields too. */
  validated?: boolean;
  hidden?: HiddenFields;
  button: string;
  /** Whether the form destroys something. */
  danger?: boolean;
  /** What follows the button. */
  more?: ComponentChildren;
  /** Path of the page to which "Cancel" leads. */
  cancel?: string;
  children?: ComponentChildren;
}) {
  const { path } = useContext(FormContext);
  const opened = useContext(OpenedFields);
  return (
    <form method="post" action={action ?? path} noValidate={!validated} class={className ?? undefined}>
      <Hidden fields={[...hidden, ...opened]} />
      {children}
      <div class="actions">
        <button type="submit" {...(danger && { class: 'danger' })}>
          {button}
        </button>
        {more}
        {cancel !== undefined && <a href={cancel}>Cancel</a>}
      </div>
    </form>
  );
}

/** A form that is only a button. */
export function ButtonForm({
  action,
  className = 'secondary',
  hidden = [],
  children,
}: {
  action: string;
  className?: 'secondary' | 'quiet' | null;
  hidden?: HiddenFields;
  children: ComponentChildren;
}) {
  return (
    <form method="post" action={action}>
      <Hidden fields={hidden} />
      <button type="submit" class={className ?? undefined}>
        {children}
      </button>
    </form>
  );
}

/** List of names and values in two columns. */
export function DescriptionList({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

/** Who is signed in, on a page that acts for the user. */
export function SignedInAs({ user: { accountName, email } }: { user: Pick<User, 'accountName' | 'email'> }) {
  return (
    <dl class="account">
      <dt>Account</dt>
      <dd>{accountName}</dd>
      <dt>Signed in as</dt>
      <dd>{email}</dd>
    </dl>
  );
}

export function DescriptionItem({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface TextFieldProps {
  /** `id` and name of the field. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'email' | 'password' | 'tel' | 'url' | 'date';
  readonly value?: string;
  /** Purpose of the field, as `autocomplete` names it. */
  readonly autocomplete: string;
  readonly maxLength?: number;
  readonly required?: boolean;
  /** Keyboard that phones show; that of the type by default. */
  readonly inputMode?: 'numeric' | 'decimal';
  /** `id` of the `datalist` with suggestions. */
  readonly list?: string;
  /** Path of the page that lists suggestions for a text. The script of the page adds them to the `datalist`. */
  readonly 'data-suggestions'?: string;
}

/** A field of one line with its label, hint and error message. */
export function TextField(props: TextFieldProps) {
  const { id, label, hint, type = 'text', value = '', required = true, ...attributes } = props;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      <FieldError field={id} />
      <input
        // The types of Preact have an element for each type of input.
        type={type as 'text'}
        id={id}
        name={id}
        value={value}
        {...attributes}
        required={required}
        {...useDescription(id, hintId)}
      />
    </div>
  );
}

/** A field for a new password, with its rule. */
export function NewPasswordField({ label = 'Password' }: { label?: string }) {
  return (
    <TextField
      id="new_password"
      label={label}
      hint="At least 12 characters. Several words are easy to remember and hard to guess."
      type="password"
      autocomplete="new-password"
      maxLength={1024}
    />
  );
}

/** The user name for password managers, in a form with a password. */
export function UserNameField({ email }: { email: string }) {
  return <input type="text" value={email} autocomplete="username" hidden readOnly />;
}

/** A checkbox for each code, with its label. */
export function CodeChoices({
  name,
  codes,
  selected,
  labelOf,
}: {
  name: string;
  codes: readonly string[];
  selected: readonly string[];
  labelOf: (code: string) => ComponentChildren;
}) {
  return codes.map((code) => (
    <label key={code} class="choice">
      <input type="checkbox" name={name} value={code} checked={selected.includes(code)} />
      <span>
        {labelOf(code)} <code>{code}</code>
      </span>
    </label>
  ));
}
