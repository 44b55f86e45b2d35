import { noticeFor } from './notices.js';

/** The notice of the last form; nothing for an unknown name. */
export function NoticeBox({ code }: { code: string }) {
  const notice = noticeFor(code);
  if (notice === undefined) return null;
  return (
    <p class={notice.failed ? 'alert' : 'notice'} role={notice.failed ? 'alert' : 'status'}>
      {notice.text}
    </p>
  );
}
