import type { ComponentChildren } from 'preact';
import type { PageView } from './page-context.js';

interface CopyableProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Whether the value is a list of codes, one on each line. */
  readonly codes?: boolean;
}

/**
 * A value in a read-only field, with a button that copies it if the page loads `copy.js`. The page has the status line `copied`
 * for all its fields.
 */
export function CopyField({ id, label, value }: Omit<CopyableProps, 'codes'>) {
  return (
    <div class="copyable">
      <label id={`${id}-label`} for={id}>
        {label}
      </label>
      <input id={id} type="text" value={value} readOnly />
      <CopyButton {...{ id, label }} />
    </div>
  );
}

/** A value that is shown once, with a button that copies it. The page loads the script. */
function Copyable({ id, label, value, codes = false }: CopyableProps) {
  return (
    <div class="copyable">
      <h2 id={`${id}-label`}>{label}</h2>
      {codes ? (
        <pre id={id} class="recovery-codes">
          {value}
        </pre>
      ) : (
        <code id={id}>{value}</code>
      )}
      <CopyButton {...{ id, label }} />
    </div>
  );
}

/** Without the script it stays hidden. */
function CopyButton({ id, label }: Pick<CopyableProps, 'id' | 'label'>) {
  return (
    <button
      type="button"
      class="quiet"
      hidden
      data-copies={id}
      data-label={label}
      aria-describedby={`${id}-label`}
    >
      Copy
    </button>
  );
}

/** A page that shows values once, such as a secret. They cannot be read later. */
export function shownOncePage({
  title,
  warning,
  values,
  more,
  next,
}: {
  title: string;
  warning: ComponentChildren;
  values: readonly CopyableProps[];
  /** What follows the values. */
  more?: ComponentChildren;
  /** The link to the next page. */
  next: { readonly href: string; readonly label: string };
}): PageView {
  return {
    title,
    script: 'copy.js',
    body: (
      <>
        <div class="warning">
          <p>{warning}</p>
        </div>
        {values.map((value) => (
          <Copyable key={value.id} {...value} />
        ))}
        <p id="copied" role="status" class="hint" />
        {more}
        <p class="actions">
          <a class="button" href={next.href}>
            {next.label}
          </a>
        </p>
      </>
    ),
  };
}
