/** A statement that is prepared once on each connection. Its parameters and all its columns have the type text. */
export interface HotStatement {
  /** Unique among the hot statements. */
  readonly name: string;
  readonly text: string;
  /** Whether it uses no table of account data. On a distributed database it runs on the coordinator. Default: false. */
  readonly isOnCoordinator?: boolean;
  /**
   * A statement that runs after it in the same transaction, with its first parameter. The result has the rows of both. For a
   * distributed database only.
   */
  readonly followedBy?: HotStatement;
}

/** Columns of a row in the order of the statement; `null` is NULL. */
export type TextRow = readonly (string | null)[];
