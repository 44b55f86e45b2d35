import { describedBy, FieldError } from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';

/** Name and `id` of the field for the event after which an endpoint is resumed. */
export const afterField = 'after';

/** Values of the field `from`. */
export const resumePoints = ['stopped', 'end', 'after'] as const;

/** The submitted values. */
export interface ResumeFormValues {
  readonly from: (typeof resumePoints)[number];
  readonly after: string;
}

const labels: Readonly<Record<ResumeFormValues['from'], string>> = {
  stopped: 'Where it stopped',
  end: 'After the last event: skip unsent events',
  after: 'After this event:',
};

/** The form that resumes an endpoint, or moves it to other events. */
export function ResumeForm({
  context,
  action,
  values,
  error,
}: {
  context: PageContext;
  action: string;
  values: ResumeFormValues;
  error: string | undefined;
}) {
  const hint = `${afterField}-hint`;
  return (
    <section>
      <h2>Resume</h2>
      <p>Continues to send events, or sends earlier ones again.</p>
      <form method="post" action={action} class="fields">
        <CsrfField token={context.csrfToken} />
        <fieldset>
          <legend>Continue</legend>
          {resumePoints.map((point) => (
            <label key={point} class="choice">
              <input type="radio" name="from" value={point} checked={values.from === point} />
              <span>{labels[point]}</span>
            </label>
          ))}
        </fieldset>
        <div class="field">
          <label for={afterField}>Event ID</label>
          <p class="hint" id={hint}>
            It starts with <code>evt_</code>. The event after it is sent first.
          </p>
          <FieldError field={afterField} message={error} />
          <input
            id={afterField}
            name={afterField}
            value={values.after}
            maxLength={100}
            autocomplete="off"
            spellcheck={false}
            {...describedBy(afterField, { error: error !== undefined, hint })}
          />
        </div>
        <div class="actions">
          <button type="submit">Resume</button>
        </div>
      </form>
    </section>
  );
}
