// Copy buttons. Without this script they stay hidden.
for (const button of document.querySelectorAll('button[data-copies]')) {
  const source = document.getElementById(button.dataset.copies);
  const status = document.getElementById('copied');
  button.hidden = false;
  button.addEventListener('click', async () => {
    const copied = await copy(source);
    status.textContent = copied
      ? `${button.dataset.label} copied.`
      : 'Copying failed. The text is selected: copy it with the keyboard or the menu.';
    button.textContent = copied ? 'Copied' : 'Copy';
  });
}

async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    return true;
  } catch {
    // The browser denies access to the clipboard.
    if (source instanceof HTMLInputElement) source.select();
    else getSelection().selectAllChildren(source);
    return false;
  }
}
