import type { ComponentChildren } from 'preact';
import { randomId } from '../database/ids.js';
import type { Section } from './audience.js';
import { Form, type FormError, OpenedFields } from './form-parts.js';
import {
  Conflict,
  type MergedField,
  mergeForm,
  type OpenedValues,
  openedFields,
  openedValues,
  readOpened,
} from './merge.js';
import type { FormPassword, PageContext, PageHandler, PageResponse, PageView } from './page-context.js';
import type { PageRouter } from './page-router.js';

/** A section of the settings: an entry of their navigation, and its pages. */
export interface SettingsPage<Dependencies> extends Section {
  /** Adds the pages of the section. Each belongs to it, and only its audience can see them. */
  register(site: PageRouter, dependencies: Dependencies): void;
}

/** The page that confirms an action, with its effects. */
export interface ConfirmView extends PageView {
  readonly button: string;
  /** Path of the page to which "Cancel" leads. */
  readonly cancel: string;
  /** Fields of the form. */
  readonly fields?: PageView['body'];
}

/** Introduces the list of effects of an action. */
export function ImmediateEffects() {
  return (
    <p>
      <strong>This takes effect immediately:</strong>
    </p>
  );
}

/** Adds a page that confirms an action, and the route of its form. The form needs a recent password. */
export function confirmPage(
  site: PageRouter,
  path: string,
  {
    reason,
    view,
    save,
  }: {
    /** Why the form needs a recent password. */
    reason: string;
    view: (context: PageContext) => Promise<ConfirmView | { readonly redirect: string }>;
    save: PageHandler;
  },
): void {
  site.get(path, async (context) => {
    const page = await view(context);
    if ('redirect' in page) return page;
    const { body, fields, button, cancel } = page;
    return {
      ...page,
      body: (
        <>
          {body}
          <Form className={null} validated danger button={button} cancel={cancel}>
            {fields}
          </Form>
        </>
      ),
    };
  });
  site.post(path, save, { recentPassword: ['form', reason] });
}

/**
 * Adds the route of a form that another page shows. A user whose session expired is sent back to the path of the form after
 * signing in, and from there to that page.
 */
export function actionForm(
  site: PageRouter,
  path: string,
  {
    recentPassword,
    back,
    save,
  }: {
    recentPassword: FormPassword;
    back: (context: PageContext) => string | Promise<string>;
    save: PageHandler;
  },
): void {
  site.get(path, async (context) => ({ redirect: await back(context) }));
  site.post(path, save, { recentPassword });
}

/** Why a form is shown again. */
export interface Rejection<State> {
  readonly errors: readonly FormError[];
  /** 400 by default. */
  readonly status?: number;
  /** Replaces the submitted state. */
  readonly form?: State;
}

/** A form that is shown again with its values when it is rejected, and after the session expired. */
interface FormPage<State> {
  readonly recentPassword: FormPassword;
  /** Path of the page, if it is not that of the form. */
  readonly page?: string;
  /** The state of the form when the page is opened. */
  readonly initial: (context: PageContext) => State | Promise<State>;
  /** The submitted state, valid or not. */
  readonly read: (context: PageContext) => State | Promise<State>;
  readonly view: (context: PageContext, form: State) => PageView | Promise<PageView>;
  /** Saves the form; returns the next page, or the errors. */
  readonly save: (context: PageContext, form: State) => Promise<PageResponse | Rejection<State>>;
}

/** Adds a page with a form, and the route of the form. */
export function formPage<State>(
  site: PageRouter,
  path: string,
  { recentPassword, page = path, initial, read, view, save }: FormPage<State>,
): void {
  site.get(page, async (context) => view(context, await initial(context)));
  const submit: PageHandler = async (context) => {
    const form = await read(context);
    const outcome = await save(context, form);
    if ('redirect' in outcome || 'title' in outcome) return outcome;
    return { ...(await view(context, outcome.form ?? form)), ...outcome };
  };
  site.post(path, submit, {
    recentPassword,
    restore: async (context) => view(context, await read(context)),
  });
}

/** A form that changes a record, which other users and applications may change at the same time. */
interface EditPage<Stored, Form> extends Pick<FormPage<Form>, 'recentPassword'> {
  /**
   * Reads the record.
   *
   * @throws {Problem} 404 `not_found`
   */
  readonly load: (context: PageContext) => Promise<Stored>;
  /** The form with the values of the record. */
  readonly toForm: (context: PageContext, stored: Stored) => Form | Promise<Form>;
  /** The submitted form, valid or not. */
  readonly read: (context: PageContext, stored: Stored) => Form | Promise<Form>;
  /**
   * What is merged: the form takes over what only another user has changed, and asks about what both have changed. Other members
   * are as the user submits them. A function: what is merged depends on the record.
   */
  readonly merged: readonly MergedField<Form>[] | ((stored: Stored) => readonly MergedField<Form>[]);
  readonly view: (context: PageContext, page: EditView<Stored, Form>) => PageView | Promise<PageView>;
  /** Provides what the values of forms need to be shown beside each other, such as the names of records whose ids they have. */
  readonly provide?: (
    context: PageContext,
    forms: readonly Form[],
    comparison: ComponentChildren,
  ) => Promise<ComponentChildren>;
  /** Handles the buttons that save nothing. `null` for others. */
  readonly preview?: (context: PageContext, page: EditView<Stored, Form>) => Promise<Rejection<Form> | null>;
  /**
   * Saves the form, if the record is still the one that is given; returns the next page, or the errors.
   *
   * @returns `conflict`: the record as it is stored now; nothing was saved
   */
  readonly save: (
    context: PageContext,
    page: EditView<Stored, Form>,
  ) => Promise<PageResponse | Rejection<Form> | { readonly conflict: Stored }>;
}

/** A record, and the form that changes it. */
interface EditView<Stored, Form> {
  readonly stored: Stored;
  readonly form: Form;
}

interface EditState<Stored, Form> extends EditView<Stored, Form> {
  readonly opened: OpenedValues;
  /** What the user and someone else have changed differently, and the form with the stored values. */
  readonly conflict?: { readonly fields: readonly MergedField<Form>[]; readonly stored: Form };
}

/** How often a form is merged with what others store at the same moment. */
const maximumAttempts = 5;

/** Adds a page with a form that changes a record, and the route of the form. */
export function editPage<Stored, Form>(
  site: PageRouter,
  path: string,
  { recentPassword, load, toForm, read, merged, view, provide, preview, save }: EditPage<Stored, Form>,
): void {
  const mergedOf = typeof merged === 'function' ? merged : () => merged;
  formPage<EditState<Stored, Form>>(site, path, {
    recentPassword,
    initial: async (context) => {
      const stored = await load(context);
      const form = await toForm(context, stored);
      return { stored, form, opened: openedValues(form, mergedOf(stored)) };
    },
    read: async (context) => {
      const stored = await load(context);
      const opened = readOpened(context.form, mergedOf(stored));
      return { stored, form: await read(context, stored), opened };
    },
    view: async (context, { opened, conflict, ...state }) => {
      const page = await view(context, state);
      const comparison = conflict && <Conflict {...conflict} form={state.form} />;
      return {
        ...page,
        body: (
          <OpenedFields.Provider value={openedFields(opened)}>
            {conflict && provide
              ? await provide(context, [conflict.stored, state.form], comparison)
              : comparison}
            {page.body}
          </OpenedFields.Provider>
        ),
      };
    },
    save: async (context, { opened, ...submitted }) => {
      const previewed = await preview?.(context, submitted);
      if (previewed)
        return { ...previewed, form: { ...submitted, opened, form: previewed.form ?? submitted.form } };
      let { stored } = submitted;
      for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
        const current = await toForm(context, stored);
        const fields = mergedOf(stored);
        const { form, conflicts } = mergeForm(fields, { opened, submitted: submitted.form, stored: current });
        const state = { stored, form, opened: openedValues(current, fields) };
        if (conflicts.length > 0) {
          const errors = conflicts.map(({ member, id = member, label }) => ({
            field: id,
            message: conflictMessage(label),
          }));
          return {
            status: 409,
            errors,
            form: { ...state, conflict: { fields: conflicts, stored: current } },
          };
        }
        const outcome = await save(context, { stored, form });
        if ('redirect' in outcome || 'title' in outcome) return outcome;
        if ('errors' in outcome) return { ...outcome, form: { ...state, form: outcome.form ?? form } };
        stored = outcome.conflict;
      }
      const [first] = mergedOf(stored);
      return rejected(first?.id ?? first?.member ?? '', busyMessage, 409);
    },
  });
}

function conflictMessage(label: string): string {
  return `${label}: another user changed this while you were editing it. Compare the saved value with yours. To replace it, save again.`;
}

const busyMessage = 'Other users are changing this at the moment. Save again.';

/** Identifies a new form, so that a second submission is recognized. The form has it in the hidden field `form`. */
export function formNonce({ form }: PageContext): string {
  return form.text('form') || randomId();
}

/** Shows the form again with one error. */
export function rejected(field: string, message: string, status = 400): Rejection<never> {
  return { status, errors: [{ field, message }] };
}
