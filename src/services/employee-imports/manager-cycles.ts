export interface ManagerCycles {
  /** Employees who are part of a cycle. */
  readonly members: ReadonlySet<string>;
  /** Employees whose managers, their managers and so on end in a cycle: the members and everyone below them. */
  readonly leading: ReadonlySet<string>;
}

/**
 * Finds cycles of managers, in time linear in the number of edges.
 *
 * @param managers the manager of each employee; absent: none
 */
export function findCycles(managers: ReadonlyMap<string, string>): ManagerCycles {
  const members = new Set<string>();
  const leading = new Set<string>();
  const passed = new Set<string>();
  for (const start of managers.keys()) {
    const path = new Set<string>();
    let id: string | undefined = start;
    while (id !== undefined && !passed.has(id)) {
      passed.add(id);
      path.add(id);
      id = managers.get(id);
    }
    if (id === undefined || !(path.has(id) || leading.has(id))) continue;
    let isMember = false;
    for (const one of path) {
      isMember ||= one === id;
      leading.add(one);
      if (isMember) members.add(one);
    }
  }
  return { members, leading };
}
