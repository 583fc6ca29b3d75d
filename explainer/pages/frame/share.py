"""A button that copies the link of what is on the screen."""

from streamlit.components import v2

_SHARE = v2.component(
    "share_link",
    html='<button class="share" type="button">Copy link</button>',
    css="""
    .share { font: 400 0.875rem var(--st-font); color: var(--st-text-color); background: transparent;
             border: 1px solid var(--st-border-color); border-radius: 8px; padding: 0.32rem 0.75rem; cursor: pointer; }
    .share:hover, .share:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
    """,
    js="""
    export default function ({ parentElement, data }) {
      const button = parentElement.querySelector(".share");
      button.title = data.title;
      button.onclick = async () => {
        const field = Object.assign(document.createElement("textarea"), { value: location.href });
        try {
          await navigator.clipboard.writeText(location.href);
        } catch {  // a page served without https may not use the clipboard; the old way works everywhere
          document.body.appendChild(field);
          field.select();
          document.execCommand("copy");
          field.remove();
        }
        button.textContent = "Copied ✓";
        setTimeout(() => (button.textContent = "Copy link"), 1500);
      };
    }
    """,
)


def share_button() -> None:
    """Whoever opens the copied link sees the same sentence, layer, head and cell."""
    title = "The link reproduces the sentence and everything chosen on this page"
    _SHARE(key="share", data={"title": title}, height="content", width="content")
