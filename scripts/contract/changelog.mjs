/** The text under the heading of a version, or `undefined` where there is none. */
export function sectionOf(changelog, version) {
  const sections = changelog.split(/^(?=## )/m);
  return sections.find((section) => headingOf(section)?.version === version);
}

/** Writes today's date into the heading of a version that has none yet. */
export function dateSection(changelog, version, date) {
  const heading = `## ${version} (unreleased)`;
  return changelog.replace(heading, `## ${version} (${date})`);
}

/** The names that a section does not mention in code marks. */
export function unmentioned(section, names) {
  return names.filter((name) => !section.includes(`\`${name}\``));
}

function headingOf(section) {
  return /^## (?<version>\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$/m.exec(section)?.groups;
}
