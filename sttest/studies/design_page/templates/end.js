await redraw();
document.body.dataset.drawn = "yes";
})().catch((error) => {
  document.querySelector(".waiting").textContent = `This browser does not draw it: ${error.message}`;
  throw error;
});
