/** Whose call it was: an application, or the client that a genuine token names when nothing more is known. */
export interface CallingApplication {
  readonly accountId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly clientId?: string | undefined;
}

/** A request to an operation of the contract that has ended. */
export interface ApiCall extends CallingApplication {
  readonly userId: string | null;
  readonly operation: string;
  /** Absent when the client disconnected before the response. */
  readonly status: number | undefined;
  /** Employees, reports, report rows or users in the response. */
  readonly records: number;
  readonly requestId: string;
  /** Code of the problem document in the response. */
  readonly code: string | null;
}

/** Identifies the caller's application, as a part of keys in memory. Ids of applications have no space. */
export function applicationKey({ applicationId, clientId }: CallingApplication): string {
  return applicationId ?? `client ${clientId}`;
}
