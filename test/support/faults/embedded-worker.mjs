// Writes rows to an embedded database, and reports each, until it is killed.
import { openDatabase } from '../../../dist/src/platform/database/open-database.js';

const [dataDir = ''] = process.argv.slice(2);
const { prisma } = await openDatabase({ dataDir });
for (let row = 1; ; row += 1) {
  await prisma.failureCount.create({ data: { key: `${process.pid}-${row}`, points: 1 } });
  process.stdout.write(`${row}\n`);
}
