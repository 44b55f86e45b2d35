import { randomId } from '../database/ids.js';
import { Form, type FormError } from './form-parts.js';
import type { FormPassword, PageContext, PageHandler, PageResponse, PageView } from './page-context.js';
import type { PageRouter } from './page-router.js';
import type { Section } from './sections.js';

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

/** Identifies a new form, so that a second submission is recognized. The form has it in the hidden field `form`. */
export function formNonce({ form }: PageContext): string {
  return form.text('form') || randomId();
}

/** Shows the form again with one error. */
export function rejected(field: string, message: string, status = 400): Rejection<never> {
  return { status, errors: [{ field, message }] };
}
