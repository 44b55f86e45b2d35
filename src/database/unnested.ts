/**
 * Makes rows, with their ordinals as the last column, of the arrays that are the first parameters of a prepared
 * statement; what follows FROM.
 *
 * Each array is hidden from the planner in a query of its own. Where it sees how long one is, it takes a plan for just
 * that length to be cheaper than the one it has kept, and plans the statement anew each time: that costs more than to
 * run it.
 *
 * @param types of the members of each array
 */
export function unnested(...types: readonly string[]): string {
  const arrays = types.map((type, index) => `(SELECT $${index + 1}::${type}[])`);
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY`;
}
