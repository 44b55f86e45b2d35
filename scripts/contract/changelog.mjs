/** The section of a version, with its heading; `undefined` if there is none. */
export function sectionOf(changelog, version) {
  const sections = changelog.split(/^(?=## )/m);
  return sections.find((section) => headingOf(section)?.version === version);
}

/** Writes a date into the heading of an unreleased version. */
export function dateSection(changelog, version, date) {
  const heading = `## ${version} (unreleased)`;
  return changelog.replace(heading, `## ${version} (${date})`);
}

/** The names that a section does not contain as code, in backticks. */
export function unmentioned(section, names) {
  return names.filter((name) => !section.includes(`\`${name}\``));
}

function headingOf(section) {
  return /^## (?<version>\d+\.\d+\.\d+) \((?<date>unreleased|\d{4}-\d\d-\d\d)\)$/m.exec(section)?.groups;
}
