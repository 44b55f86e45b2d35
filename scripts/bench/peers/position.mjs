/** The position that ends an employee id, in base 36: the primary key of employees is the account and the position. */
export function positionOf(id) {
  return Number.parseInt(id.slice(8), 36);
}
