// Buttons that store an SVG image of this server as a PNG. Without this script they stay hidden.
const scale = 2;

for (const button of document.querySelectorAll('button[data-image]')) {
  const text = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      save(await toPng(button.dataset.image), button.dataset.name);
      button.textContent = text;
    } catch {
      button.textContent = `${text}: failed, try again`;
    }
  });
}

async function toPng(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * scale;
  canvas.height = image.naturalHeight * scale;
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no image'))), 'image/png');
  });
}

function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
