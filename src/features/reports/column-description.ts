export type ColumnType = 'string' | 'date' | 'date_time' | 'integer' | 'number' | 'boolean' | 'list';

/** The key of a column in requests, its label and the type of its values. */
export interface ColumnDescription {
  readonly key: string;
  readonly label: string;
  readonly type: ColumnType;
}
