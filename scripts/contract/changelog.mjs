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

/**
 * All sections, in their order, with the Markdown below the heading. Sections without a version have no `version` and no
 * `date`; unreleased versions have no `date`.
 */
export function sectionsOf(changelog) {
  return changelog
    .split(/^(?=## )/m)
    .slice(1)
    .map((section) => {
      const [heading, ...lines] = section.split('\n');
      const { version = null, date } = headingOf(section) ?? {};
      const isReleased = date !== undefined && date !== 'unreleased';
      return {
        title: heading.slice('## '.length),
        version,
        date: isReleased ? date : null,
        text: lines.join('\n').trim(),
      };
    });
}

/** The Markdown between the title and the first section. */
export function introductionOf(changelog) {
  const [introduction] = changelog.split(/^(?=## )/m);
  return introduction.replace(/^# .*\n/, '').trim();
}

function headingOf(section) {
  return /^## (?<version>\d+\.\d+\.\d+) \((?<date>unreleased|\d{4}-\d\d-\d\d)\)$/m.exec(section)?.groups;
}
