import { openDatabase } from '../../../src/database/open-database.js';

// Writes rows to an embedded database, and says so after each, until it is killed.
const [dataDir = ''] = process.argv.slice(2);
const { prisma } = await openDatabase({ dataDir });
for (let row = 1; ; row += 1) {
  await prisma.failureCount.create({ data: { key: `${process.pid}-${row}`, points: 1 } });
  process.stdout.write(`${row}\n`);
}
