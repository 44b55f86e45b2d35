/** SQL expression for a timestamp as the API writes it: UTC with milliseconds. */
export function timestampText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
