import { setImmediate as nextTurn } from 'node:timers/promises';

/** Steps after which other work of the process runs. They take a few milliseconds. */
const stepsPerTurn = 5_000;

export interface ManagerCycles {
  /** Employees who are part of a cycle. */
  readonly members: ReadonlySet<string>;
  /** Employees whose managers, their managers and so on end in a cycle: the members and everyone below them. */
  readonly leading: ReadonlySet<string>;
}

/**
 * Finds cycles of managers, in time linear in the number of edges. Other work of the process runs meanwhile.
 *
 * @param managers the manager of each employee; absent: none
 */
export async function findCycles(managers: ReadonlyMap<string, string>): Promise<ManagerCycles> {
  const members = new Set<string>();
  const leading = new Set<string>();
  const passed = new Set<string>();
  let steps = 0;
  const isTurn = () => {
    steps += 1;
    return steps % stepsPerTurn === 0;
  };
  for (const start of managers.keys()) {
    if (isTurn()) await nextTurn();
    const path = new Set<string>();
    let id: string | undefined = start;
    while (id !== undefined && !passed.has(id)) {
      passed.add(id);
      path.add(id);
      if (isTurn()) await nextTurn();
      id = managers.get(id);
    }
    if (id === undefined || !(path.has(id) || leading.has(id))) continue;
    let isMember = false;
    for (const one of path) {
      isMember ||= one === id;
      leading.add(one);
      if (isMember) members.add(one);
      if (isTurn()) await nextTurn();
    }
  }
  return { members, leading };
}
