// Buttons that copy what stands beside them. Without this script they stay hidden, and the text can be selected.
for (const button of document.querySelectorAll('button[data-copies]')) {
  const source = document.getElementById(button.dataset.copies);
  const status = document.getElementById('copied');
  button.hidden = false;
  button.addEventListener('click', async () => {
    const copied = await copy(source);
    status.textContent = copied ? `${button.dataset.label} copied.` : 'Select the text and copy it yourself.';
    button.textContent = copied ? 'Copied' : 'Copy';
  });
}

async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // Where the clipboard is closed to pages, the text is at least selected.
    getSelection().selectAllChildren(source);
    return false;
  }
}
