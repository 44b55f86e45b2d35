/** What a partner enters. */
interface Settings {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a program does: the same with every generator. */
export type Program = (settings: Settings) => Promise<Outcome>;

/** What a program found out, for the test to compare with what is true. */
interface Outcome {
  /** Why there is no token for a wrong secret. */
  readonly unauthenticated: OAuthRefusal;
  /** The ids of all employees, page by page. */
  readonly pages: readonly (readonly string[])[];
  /** The rows of a report: how many active employees a department has. */
  readonly headcount: Readonly<Record<string, number>>;
  /** Why there is no employee with an unknown id. */
  readonly missing: Refusal;
  /** Why a report cannot be saved. */
  readonly impossible: Refusal;
  /** The report, which is deleted again at the end. */
  readonly reportId: string;
}

interface OAuthRefusal {
  readonly code: string;
  /** The same in the words of OAuth 2.0. */
  readonly error: string;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The places in the body that are at fault. */
  readonly pointers: readonly (string | undefined)[] | undefined;
}
