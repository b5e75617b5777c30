// The description of the API, shown by Swagger UI.

const domNode = document.getElementById("viewer");
SwaggerUIBundle({
  domNode,
  url: domNode.dataset.description,
  defaultModelsExpandDepth: -1, // no list of the types
  validatorUrl: "none", // it is on another host
});
