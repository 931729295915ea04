// The part of a 2D context that the page's thread and the painter's have in common.

export type Pen = CanvasState &
  CanvasTransform &
  CanvasCompositing &
  CanvasFillStrokeStyles &
  CanvasRect &
  CanvasDrawPath &
  CanvasText &
  CanvasPathDrawingStyles &
  CanvasTextDrawingStyles &
  CanvasPath;
