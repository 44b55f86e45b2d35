/** A statement that is prepared once on each connection. Its parameters and all its columns have the type text. */
export interface HotStatement {
  /** Unique among the hot statements. */
  readonly name: string;
  readonly text: string;
  /** Whether it uses no table of account data. On a distributed database it runs on the coordinator. Default: false. */
  readonly isOnCoordinator?: boolean;
}

/** Columns of a row in the order of the statement; `null` is NULL. */
export type TextRow = readonly (string | null)[];
