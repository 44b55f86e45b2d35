const list = (query) => async (world) => world.send(`/v1/employees?${query}`, { token: await world.token() });

/** Employees. */
export const employees = {
  EmployeesFirstPageResponseExample: list('page[size]=2'),
  EmployeesPastTheEndResponseExample: list('page[number]=9'),
  EmployeeResponseExample: async (world) =>
    world.send('/v1/employees/acmedemo00000000', { token: await world.token() }),
};
