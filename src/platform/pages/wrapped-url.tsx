import { Fragment } from 'preact';

/** A URL or a path as text, which is wrapped before a slash of its path when it does not fit its line. */
export function WrappedUrl({ url }: { url: string }) {
  return (
    <>
      {url.split(/(?<=[^/])(?=\/[^/])/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
