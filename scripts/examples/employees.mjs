import { partner } from './partner.mjs';

const accountId = 'demoacme';

/** Added in this order. */
const customAttributes = [
  {
    key: 'cost_center',
    label: 'Cost center',
    description: 'As in the ledger.',
    type: 'text',
    required: true,
  },
  { key: 'weekly_hours', label: 'Weekly hours', type: 'number' },
  { key: 'remote', label: 'Works remotely', type: 'boolean' },
  { key: 'shirt_size', label: 'Shirt size', type: 'choice', choices: ['S', 'M', 'L'] },
  { key: 'languages', label: 'Languages', type: 'choices', choices: ['English', 'German', 'Portuguese'] },
  { key: 'permit_until', label: 'Work permit until', type: 'date', sensitive: true },
  { key: 'mentor', label: 'Mentor', type: 'employee' },
];

const customValues = {
  cost_center: 'ENG-100',
  weekly_hours: 32.5,
  remote: true,
  languages: ['English', 'Portuguese'],
  permit_until: '2027-08-31',
  mentor: 'acmedemo00000000',
};

/** Adds custom attributes to the account, and values to one employee. Returns the token of the application that may read them. */
const customReader = (world) =>
  world.once('custom attributes', async () => {
    const { customAttribute, employee } = world.database.prisma;
    const at = world.time.getTime();
    await customAttribute.createMany({
      data: customAttributes.map((attribute, index) => {
        const added = new Date(at + index);
        return { accountId, ...attribute, createdAt: added, updatedAt: added };
      }),
    });
    const where = { accountId, id: 'acmedemo00000001' };
    await employee.updateMany({ where, data: { custom: customValues, updatedAt: world.time } });
    const custom = customAttributes.map(({ key }) => `custom.${key}`);
    return partner(world, 'customreader', { scopes: ['reports:read'], custom });
  });

const custom = (path) => async (world) => world.send(path, { token: await customReader(world) });

/** The changes of the employee with values, after a user has changed some. */
const changes = async (world) => {
  const token = await customReader(world);
  await world.database.prisma.$transaction(async (tx) => {
    await tx.$executeRawUnsafe(`SET LOCAL app.actor = '{"user":"demoacmeadmin"}'`);
    await tx.employee.updateMany({
      where: { accountId, id: 'acmedemo00000001' },
      data: { department: 'Marketing', location: 'Lisbon', custom: { ...customValues, weekly_hours: 40 } },
    });
  });
  return world.send('/v1/employees/acmedemo00000001/changes?page[size]=2', { token });
};

const list = (query) => async (world) => world.send(`/v1/employees?${query}`, { token: await world.token() });

/** Employees. */
export const employees = {
  EmployeesFirstPageResponseExample: list('page[size]=2'),
  EmployeesPastTheEndResponseExample: list('page[number]=9'),
  EmployeeResponseExample: async (world) =>
    world.send('/v1/employees/acmedemo00000000', { token: await world.token() }),
  EmployeeWithCustomAttributesResponseExample: custom('/v1/employees/acmedemo00000001'),
  EmployeeAttributesResponseExample: custom('/v1/employee_attributes'),
  EmployeeChangesResponseExample: changes,
};
