/** The manager in a record: an employee by id or employee number; `null`: none. */
export type ManagerReference = { readonly id: string } | { readonly employeeNumber: string } | null;

/** A record that has a manager or removes it. */
export interface ManagerAssignment {
  readonly line: number;
  readonly reference: ManagerReference;
}

/**
 * The managers of an import by employee number. They are stored after all employees, because a manager can come later in the
 * file than the reports. Of several records with the same number, the last one that has a manager counts.
 */
export type ManagerAssignments = Map<string, ManagerAssignment>;

/** A manager that was not stored. */
export interface ManagerError {
  readonly line: number;
  readonly error: string;
}

export interface ManagerOutcome {
  /** Employees that this import had not changed otherwise. */
  readonly updated: number;
  /** In the order of the file. */
  readonly errors: readonly ManagerError[];
}
